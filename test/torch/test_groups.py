"""Groups: parts of the world, splits, shrunk ones, and a thousand of them one after the other."""

import gc
import os
import time
from datetime import timedelta

import pytest
import torch
import torch.distributed as dist

from jobs import Died, failure_of, run


def total_of(group, value):
    tensor = torch.tensor([float(value)])
    dist.all_reduce(tensor, group=group)
    return tensor.item()


def test_groups_of_some_ranks(backend):
    def body(rank):
        for members in ([0, 1], [1, 2], [3, 0], [2], [0, 1, 3], [0, 1, 2, 3]):
            group = dist.new_group(members)
            if rank not in members:
                assert group == dist.GroupMember.NON_GROUP_MEMBER
                continue
            assert dist.get_world_size(group) == len(members) and dist.get_backend(group) == backend
            assert dist.get_rank(group) == sorted(members).index(rank)
            assert total_of(group, rank) == sum(members)
            root = members[0]
            word = torch.tensor([rank])
            dist.broadcast(word, root, group=group)  # the root is a rank of the world
            assert word.item() == root
        dist.barrier()
    run(body, 4, backend=backend)


def test_groups_side_by_side(backend):
    def body(rank):
        pairs, _ = dist.new_subgroups(2)
        mine, _ = dist.new_subgroups_by_enumeration([[0, 2], [1, 3]])
        for round in range(10):
            assert total_of(pairs, rank) == (1 if rank < 2 else 5)
            assert total_of(mine, rank) == (2 if rank % 2 == 0 else 4)
            assert total_of(None, rank) == 6
    run(body, 4, backend=backend)


def test_a_group_with_another_timeout(backend):
    def body(rank):
        group = dist.new_group([0, 1], timeout=timedelta(seconds=5))
        assert total_of(group, 1) == 2
        dist.set_timeout(timedelta(seconds=7), group)
        assert total_of(group, 1) == 2
    run(body, 2, backend=backend)


def test_a_destroyed_group_is_gone_and_the_others_are_not(backend):
    def body(rank):
        first, second = dist.new_group(), dist.new_group()
        assert total_of(first, 1) == 3
        dist.destroy_process_group(first)
        assert total_of(second, 1) == 3 and total_of(None, 1) == 3
        if backend == "blink":  # gloo's goes on for who still has it
            kind, sentence = failure_of(lambda: first.allreduce([torch.ones(1)]).wait())
            assert kind == "DistBackendError" and sentence
            assert total_of(None, 1) == 3
    run(body, 3, backend=backend)


def test_the_world_made_anew(backend):
    """In one process, with a store each time."""
    from jobs import init

    def body(rank, port):
        for round in range(3):
            store = dist.PrefixStore(f"round{round}", dist.TCPStore("127.0.0.1", port, is_master=False))
            dist.init_process_group(backend, store=store, rank=rank, world_size=2, timeout=timedelta(seconds=30))
            assert total_of(None, rank + round) == 1 + 2 * round
            dist.destroy_process_group()
        init(backend, rank, 2, port, 30)
        assert total_of(None, 1) == 2
    run(lambda rank, port: body(rank, port), 2, backend=None)


def test_split_group(backend):
    def body(rank):
        total_of(None, 1)
        impl = dist.group.WORLD._get_backend(torch.device("cpu"))
        if not impl.supports_splitting:
            assert backend != "blink", "supports_splitting is False"
            return
        group = dist.split_group(split_ranks=[[0, 1], [2, 3]])
        assert total_of(group, rank) == (1 if rank < 2 else 5)
        turned = dist.split_group(split_ranks=[[3, 1, 0]])
        if rank == 2:
            assert turned == dist.GroupMember.NON_GROUP_MEMBER
        else:
            assert dist.get_rank(turned) == [3, 1, 0].index(rank) and total_of(turned, rank) == 4
        assert total_of(None, 1) == 4
    run(body, 4, backend=backend)


@pytest.mark.only_blink("shrink")
def test_shrink_group(backend):
    def body(rank):
        part = dist.new_group([0, 1, 3])
        if rank != 2:
            assert total_of(part, rank) == 4
        assert total_of(None, 1) == 4
        if rank == 1:
            return None  # is left out, and does nothing
        smaller = dist.shrink_group([1])
        assert dist.get_world_size() == 3 and dist.get_rank() == [0, 2, 3].index(rank)
        return total_of(smaller, rank), total_of(None, 1)
    assert run(body, 4, backend=backend) == [(5, 3), None, (5, 3), (5, 3)]


@pytest.mark.only_blink("shrink")
def test_going_on_without_a_rank_that_died(backend):
    def body(rank):
        assert total_of(None, 1) == 4
        if rank == 2:
            os._exit(7)
        kind, sentence = failure_of(lambda: dist.all_reduce(torch.ones(10)))
        assert kind == "DistBackendError" and "rank 2" in sentence, sentence
        smaller = dist.shrink_group([2], shrink_flags=dist.SHRINK_ABORT if hasattr(dist, "SHRINK_ABORT") else 1)
        return dist.get_rank(), total_of(smaller, 1), total_of(None, rank)
    assert run(body, 4, backend=backend, may_die={2}) == [(0, 3, 4), (1, 3, 4), Died(7), (2, 3, 4)]


def test_two_back_ends_in_one_process(backend):
    def body(rank):
        other = dist.new_group(backend="gloo")
        for _ in range(5):
            assert total_of(other, 1) == 3 and total_of(None, 2) == 6
        assert dist.get_backend(other) == "gloo" and dist.get_backend() == backend
        mixed = dist.new_group(backend=f"cpu:{backend}")
        assert total_of(mixed, 1) == 3
    run(body, 3, backend=backend)


def held():
    """Files, threads, and what is mapped, of this process."""
    gc.collect()
    maps = open("/proc/self/maps").read().splitlines()
    return {"files": len(os.listdir("/proc/self/fd")), "threads": len(os.listdir("/proc/self/task")), "maps": len(maps),
            "shared": sum("/dev/shm" in line or "memfd" in line for line in maps)}


def test_a_thousand_groups_leave_nothing_behind(backend):
    """BLINK_TORCH_GROUPS of them, each used: at the end the process holds what it held after the first tenth."""
    count = int(os.environ.get("BLINK_TORCH_GROUPS", "1000" if backend == "blink" else "60"))
    shared = set(os.listdir("/dev/shm"))

    def body(rank):
        for number in range(count):
            group = dist.new_group([0, 1] if number % 2 else None)
            tensor = torch.full((100,), rank + 1.0)
            dist.all_reduce(tensor, group=group)
            assert tensor[0] == 3
            dist.destroy_process_group(group)
            del group
            if number == count // 10:
                first = held()
        last, deadline = held(), time.monotonic() + 20
        while last["threads"] > first["threads"] and time.monotonic() < deadline:
            last = held()  # the thread that made the last one may be about to end
        return first, last

    for first, last in run(body, 2, backend=backend, timeout=600):
        assert last["files"] <= first["files"] + 1 and last["threads"] <= first["threads"], (first, last)
        assert last["shared"] <= first["shared"], (first, last)
        assert last["maps"] <= first["maps"] + 16, (first, last)  # allocators map as they like
    assert set(os.listdir("/dev/shm")) <= shared


def test_groups_that_are_never_destroyed_end_with_the_process(backend):
    shared = set(os.listdir("/dev/shm"))

    def body(rank):
        groups = [dist.new_group() for _ in range(20)]
        for group in groups:
            assert total_of(group, 1) == 2
        os._exit(0)  # as a process does that is killed

    run(body, 2, backend=backend, may_die={0, 1})
    # Records of calls stay for others to read until the user makes another communicator (docs/hangs.md).
    run(lambda rank: total_of(dist.group.WORLD, 1), 2, backend=backend)
    assert set(os.listdir("/dev/shm")) <= shared


@pytest.mark.only_blink("a class of its own")
def test_what_a_group_says_of_itself(backend):
    def body(rank):
        impl = dist.group.WORLD._get_backend(torch.device("cpu"))
        assert impl.name() == "blink" and impl.rank() == rank and impl.size() == 2
        assert dist.get_backend_config() in ("cpu:blink,cuda:blink", "blink")
        assert dist.group.WORLD.name() in ("blink", "custom")
        assert total_of(None, 1) == 2
    run(body, 2, backend=backend)


@pytest.mark.only_blink("times of a model")
def test_time_estimates(backend):
    def body(rank):
        total_of(None, 1)
        seconds = []
        for count in (1 << 10, 1 << 24):
            tensor = torch.ones(count)
            with dist.distributed_c10d._time_estimator(device=torch.device("cpu")) as estimate:
                dist.all_reduce(tensor)
            assert tensor[0] == 1, "an estimate runs nothing"
            seconds.append(estimate.estimated_time)
        assert 0 < seconds[0] < seconds[1]
        assert total_of(None, 1) == 2
    run(body, 2, backend=backend)
