"""What test_servers.py runs as one rank of a group on several servers: 2 ranks on the first, 1 on the second.

    servers_checks.py CHECK...    each prints its name on every rank; in an environment such as torchrun's
"""

import faulthandler
import sys
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import models
from jobs import failure_of

RANKS = 3
faulthandler.dump_traceback_later(60, exit=True)


def collectives(rank):
    for dtype in (torch.float32, torch.int64, torch.bfloat16):
        for count in (1, 1001, 300_000):
            mine = torch.arange(count).remainder(5).to(dtype) + rank
            total = sum(torch.arange(count).remainder(5).to(dtype) + other for other in range(RANKS))
            one = mine.clone()
            dist.all_reduce(one)
            assert torch.equal(one, total)
            parts = [torch.empty_like(mine) for _ in range(RANKS)]
            dist.all_gather(parts, mine)
            assert all(torch.equal(part, mine - rank + other) for other, part in enumerate(parts))
            dist.reduce_scatter_tensor(one, total.repeat(RANKS))
            assert torch.equal(one, total * RANKS)
            for root in range(RANKS):
                one = mine.clone()
                dist.broadcast(one, root)
                assert torch.equal(one, mine - rank + root)
    objects = [None] * RANKS
    dist.all_gather_object(objects, {"rank": rank, "text": "x" * 1000 * rank})
    assert [one["rank"] for one in objects] == list(range(RANKS))
    splits = [rank + 1] * RANKS  # to each rank
    out = torch.empty(sum(range(1, RANKS + 1)))
    dist.all_to_all_single(out, torch.full((sum(splits),), float(rank)), list(range(1, RANKS + 1)), splits)
    assert out.tolist() == [float(other) for other in range(RANKS) for _ in range(other + 1)]
    dist.monitored_barrier()


def messages(rank):
    sizes = [1, 5_000, 500_000]
    if rank == 0:  # each to the other server and back, by tags in another order
        for tag, size in enumerate(sizes):
            dist.send(torch.full((size,), float(tag)), 2, tag=tag)
        assert all(back.wait() for back in [dist.irecv(torch.empty(size), 2, tag=9) for size in sizes])
    elif rank == 2:
        for tag in reversed(range(len(sizes))):
            got = torch.empty(sizes[tag])
            dist.recv(got, 0, tag=tag)
            assert torch.equal(got, torch.full((sizes[tag],), float(tag)))
        for size in sizes:
            dist.send(torch.zeros(size), 0, tag=9)
    dist.barrier()
    got, source = torch.empty(1000), None
    if rank == 1:  # whoever comes, from both servers
        sources = {dist.recv(got) for _ in range(2)}
        assert sources == {0, 2}, sources
    else:
        dist.send(torch.ones(1000) * rank, 1)
    dist.barrier()
    left, right, got = (rank - 1) % RANKS, (rank + 1) % RANKS, torch.empty(70_000)
    works = dist.batch_isend_irecv([dist.P2POp(dist.isend, torch.full((70_000,), float(rank)), right),
                                    dist.P2POp(dist.irecv, got, left)])
    for work in works:
        work.wait()
    assert torch.equal(got, torch.full((70_000,), float(left)))


def groups(rank):
    """Of one server without files for it, and of two, with none."""
    inside, across = dist.new_group([0, 1]), dist.new_group([0, 2])
    if rank < 2:
        one = torch.ones(1000)
        dist.all_reduce(one, group=inside)
        assert one[0] == 2
    if rank != 1:
        kind, sentence = failure_of(lambda: dist.all_reduce(torch.ones(1), group=across))
        assert kind == "DistBackendError" and "compile one" in sentence, (kind, sentence)
    dist.barrier()


def shrink(rank):
    if rank == 2:
        return
    rest = dist.shrink_group([2])
    one = torch.ones(10)
    dist.all_reduce(one, group=rest)
    assert one[0] == 2


def ddp(rank):
    model = DistributedDataParallel(models.make("cnn", width=8))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(5):
        torch.manual_seed(RANKS * step + rank)
        optimizer.zero_grad()
        model(torch.rand(4, 64)).square().mean().backward()
        optimizer.step()
    mine = models.fingerprint(model.parameters())
    everybody = [None] * RANKS
    dist.all_gather_object(everybody, mine)
    assert everybody == [mine] * RANKS
    if rank == 0:
        print("parameters", mine)


def refused(rank):
    """Without schedules for these servers: every rank says what is wrong."""
    kind, sentence = failure_of(lambda: dist.all_reduce(torch.ones(1)))
    assert kind == "DistBackendError", (kind, sentence)
    print(sentence)


def main(names):
    torch.set_num_threads(1)
    dist.init_process_group("blink", timeout=timedelta(seconds=30))
    rank = dist.get_rank()
    for name in names:
        globals()[name](rank)
        print(name, flush=True)
    if names != ["refused"]:
        dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1:])
