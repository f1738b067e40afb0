"""Messages between two ranks: sizes, orders, tags, batches, and receiving from anyone."""

import pytest
import torch
import torch.distributed as dist

from jobs import run
from test_collectives import moved, part, same


@pytest.mark.parametrize("count", [0, 1, 1000, 1_000_003])
def test_around_a_ring(backend, count):
    if backend == "gloo" and count == 0:
        pytest.skip("gloo's own way with nothing")

    def body(rank):
        following, preceding = (rank + 1) % 3, (rank + 2) % 3
        for round in range(3):
            mine, found = part(rank, count, torch.float32, round), torch.full((count,), -1.0)
            if rank == 0:
                dist.send(mine, following)
                dist.recv(found, preceding)
            else:
                dist.recv(found, preceding)
                dist.send(mine, following)
            same(found, part(preceding, count, torch.float32, round))
    run(body, 3, backend=backend)


def test_types(backend):
    def body(rank):
        for dtype in moved(backend):
            mine, found = part(rank, 50, dtype), part(9, 50, dtype)
            request = dist.isend(mine, 1 - rank)
            dist.recv(found, 1 - rank)
            request.wait()
            same(found, part(1 - rank, 50, dtype))
    run(body, 2, backend=backend)


def test_messages_of_one_pair_keep_their_order(backend):
    def body(rank):
        sizes = [1, 1000, 3, 100_000, 2]
        if rank == 0:
            requests = [dist.isend(part(0, size, torch.float32, i), 1) for i, size in enumerate(sizes)]
        else:
            found = [torch.empty(size) for size in sizes]
            requests = [dist.irecv(one, 0) for one in found]
        for request in reversed(requests):
            request.wait()
            assert request.is_completed()
        if rank == 1:
            for i, size in enumerate(sizes):
                same(found[i], part(0, size, torch.float32, i))
    run(body, 2, backend=backend)


def test_messages_and_collectives_in_turn(backend):
    def body(rank):
        for round in range(10):
            found = torch.empty(10)
            request = dist.irecv(found, (rank + 2) % 3)
            total = torch.ones(10)
            dist.all_reduce(total)
            dist.send(torch.full((10,), float(round)), (rank + 1) % 3)
            request.wait()
            assert found.tolist() == [round] * 10 and total.tolist() == [3] * 10
    run(body, 3, backend=backend)


def test_tags_tell_messages_apart(backend):
    def body(rank):
        if rank == 0:
            requests = [dist.isend(torch.full((5,), float(tag)), 1, tag=tag) for tag in (3, 1, 2)]
            for request in requests:
                request.wait()
        else:
            for tag in (1, 2, 3):
                found = torch.empty(5)
                dist.recv(found, 0, tag=tag)
                assert found.tolist() == [tag] * 5
    run(body, 2, backend=backend)


def test_from_anyone(backend):
    def body(rank):
        if rank == 0:
            senders = []
            for i in range(6):
                found = torch.empty(8, dtype=torch.int64)
                if i % 2:
                    senders.append(dist.recv(found))
                else:
                    request = dist.irecv(found)
                    request.wait()
                    senders.append(request._source_rank())
                assert found.tolist() == [senders[-1]] * 8
            assert sorted(senders) == [1, 1, 2, 2, 3, 3]
        else:
            for _ in range(2):
                dist.send(torch.full((8,), rank), 0)
        dist.barrier()
    run(body, 4, backend=backend)


def test_from_anyone_waits_for_a_message_that_comes_late(backend):
    """Nobody has sent when the receive is posted: a word in the store says that it is."""
    def body(rank):
        store = dist.distributed_c10d._get_default_store()
        if rank == 0:
            found = torch.empty(3)
            request = dist.irecv(found)
            assert not request.is_completed()
            store.set("posted", "")
            request.wait()
            assert request._source_rank() == 2 and found.tolist() == [2, 2, 2]
        elif rank == 2:
            store.wait(["posted"])
            dist.send(torch.full((3,), 2.0), 0)
        dist.barrier()
    run(body, 3, backend=backend)


@pytest.mark.parametrize("sends_first", [False, True])
def test_batch(backend, sends_first):
    def body(rank):
        calls, expected = [], []
        for other in range(4):
            if other == rank:
                continue
            for i, size in enumerate((1, 5000)):
                found = torch.empty(size)
                both = [dist.P2POp(dist.irecv, found, other),
                        dist.P2POp(dist.isend, part(rank, size, torch.float32, i), other)]
                calls += reversed(both) if sends_first else both
                expected.append((found, part(other, size, torch.float32, i)))
        for request in dist.batch_isend_irecv(calls):
            request.wait()
        for found, other in expected:
            same(found, other)
        # of two ranks alone, once there is a communicator
        if rank < 2:
            found = torch.empty(3)
            for request in dist.batch_isend_irecv([dist.P2POp(dist.isend, torch.full((3,), float(rank)), 1 - rank),
                                                   dist.P2POp(dist.irecv, found, 1 - rank)]):
                request.wait()
            assert found.tolist() == [1 - rank] * 3
    run(body, 4, backend=backend)


def test_in_a_group(backend):
    """Ranks are the group's for the back end, and the world's for who calls."""
    def body(rank):
        group = dist.new_group([1, 3])
        if rank in (1, 3):
            found = torch.empty(4)
            if rank == 3:
                dist.send(torch.full((4,), 3.0), 1, group=group)
                dist.recv(found, group=group, group_src=0)
            else:
                assert dist.recv(found, group=group) == 3
                dist.send(torch.full((4,), 1.0), group=group, group_dst=1)
            assert found.tolist() == [4 - rank] * 4
    run(body, 4, backend=backend)


def test_one_cannot_send_to_oneself(backend):
    def body(rank):
        with pytest.raises(ValueError):
            dist.send(torch.ones(1), rank)
    run(body, 2, backend=backend)
