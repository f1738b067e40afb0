"""What test_gpus.py runs on emulated GPUs, a process a rank: every check, and tells what came of each as JSON.

No kernel of PyTorch's own runs there, so tensors are made and compared on the host, and moved by copies.
"""

import json
import os
import sys
import traceback
from datetime import timedelta

import torch
import torch.distributed as dist

RANK, SIZE = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
DEVICE = torch.device("cuda", RANK)


def there(tensor):
    """A copy of a host's tensor on this rank's GPU."""
    moved = torch.empty(tensor.shape, dtype=tensor.dtype, device=DEVICE)
    moved.copy_(tensor)
    return moved


def room(*shape, dtype=torch.float32):
    return torch.empty(shape, dtype=dtype, device=DEVICE)


def same(found, expected):
    found = found.cpu()
    assert torch.equal(found, expected), f"{found.flatten()[:8]} is not {expected.flatten()[:8]}"


def part(rank, count=1001, dtype=torch.float32):
    return (torch.arange(count) % 5 + rank).to(dtype)


def message_before_any_collective():
    try:
        dist.send(there(part(0)), (RANK + 1) % SIZE)
    except dist.DistBackendError as error:
        assert "device_id" in str(error), error
    else:
        raise AssertionError("no error")


def all_reduce():
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.int32, torch.int64):
        for count in (1, 17, 100_003):
            tensor = there(part(RANK, count, dtype))
            dist.all_reduce(tensor)
            same(tensor, sum(part(rank, count, torch.float64) for rank in range(SIZE)).to(dtype))


def operators():
    parts = torch.stack([part(rank) for rank in range(SIZE)])
    for op, expected in (("MAX", parts.amax(0)), ("MIN", parts.amin(0)), ("PRODUCT", parts.prod(0)),
                         ("AVG", parts.mean(0))):
        tensor = there(part(RANK))
        dist.all_reduce(tensor, getattr(dist.ReduceOp, op))
        same(tensor, expected)
    tensor = there(part(RANK))
    dist.all_reduce(tensor, dist._make_nccl_premul_sum(0.5))
    same(tensor, parts.sum(0) / 2)
    bits = there(torch.tensor([True, RANK == 1, False]))
    dist.all_reduce(bits)
    same(bits, torch.tensor([True, True, False]))


def complex_numbers():
    tensor = there(torch.complex(part(RANK), part(1)))
    dist.all_reduce(tensor)
    same(tensor, torch.complex(sum(part(rank) for rank in range(SIZE)), SIZE * part(1)))


def gathers():
    whole = room(SIZE * 1001)
    dist.all_gather_into_tensor(whole, there(part(RANK)))
    same(whole, torch.cat([part(rank) for rank in range(SIZE)]))
    parts = [room(1001) for _ in range(SIZE)]
    dist.all_gather(parts, there(part(RANK)))
    for rank, found in enumerate(parts):
        same(found, part(rank))
    uneven = [room(rank + 1) for rank in range(SIZE)]
    dist.all_gather(uneven, there(part(RANK, RANK + 1)))
    for rank, found in enumerate(uneven):
        same(found, part(rank, rank + 1))
    parts = [room(1001) for _ in range(SIZE)] if RANK == 2 else None
    dist.gather(there(part(RANK)), parts, 2)
    for rank, found in enumerate(parts or []):
        same(found, part(rank))


def reductions():
    part_of_sum = room(1001)
    whole = torch.cat([part(RANK + rank) for rank in range(SIZE)])
    dist.reduce_scatter_tensor(part_of_sum, there(whole))
    same(part_of_sum, sum(part(RANK + rank) for rank in range(SIZE)))
    dist.reduce_scatter(part_of_sum, [there(part(RANK + rank)) for rank in range(SIZE)])
    same(part_of_sum, sum(part(RANK + rank) for rank in range(SIZE)))
    tensor = there(part(RANK))
    dist.reduce(tensor, 1)
    same(tensor, sum(part(rank) for rank in range(SIZE)) if RANK == 1 else part(RANK))


def broadcast_and_scatter():
    tensor = there(part(RANK))
    dist.broadcast(tensor, 3)
    same(tensor, part(3))
    dist.scatter(tensor, [there(part(rank)) for rank in range(SIZE)] if RANK == 1 else None, 1)
    same(tensor, part(RANK))


def exchanges():
    found = room(SIZE, 7)
    dist.all_to_all_single(found, there(torch.stack([part(10 * RANK + rank, 7) for rank in range(SIZE)])))
    same(found, torch.stack([part(10 * rank + RANK, 7) for rank in range(SIZE)]))
    rows = [(RANK + rank) % 3 for rank in range(SIZE)]  # both to a rank and from it
    found = room(sum(rows))
    dist.all_to_all_single(found, there(torch.full((sum(rows),), float(RANK))), rows, rows)
    same(found, torch.cat([torch.full((count,), float(rank)) for rank, count in enumerate(rows)]))
    lists = [room(count) for count in rows]
    dist.all_to_all(lists, [there(torch.full((count,), float(RANK))) for count in rows])
    for rank, one in enumerate(lists):
        same(one, torch.full((rows[rank],), float(rank)))


def messages():
    after, before = (RANK + 1) % SIZE, (RANK - 1) % SIZE
    for count in (5, 300_000):
        found = room(count)
        operations = [dist.P2POp(dist.isend, there(part(RANK, count)), after), dist.P2POp(dist.irecv, found, before)]
        for work in dist.batch_isend_irecv(operations):
            work.wait()
        same(found, part(before, count))
        works = [dist.isend(there(part(RANK, count)), after), dist.irecv(found, before)]
        for work in works:
            work.wait()
        same(found, part(before, count))


def coalesced():
    tensors = [there(part(RANK, count)) for count in (3, 1000, 70_000)]
    with dist._coalescing_manager(device=DEVICE, async_ops=True) as works:
        for tensor in tensors:
            dist.all_reduce(tensor)
    works.wait()
    for tensor in tensors:
        same(tensor, sum(part(rank, tensor.numel()) for rank in range(SIZE)))
    wholes = [room(SIZE * 5), room(SIZE * 6000)]
    with dist._coalescing_manager(device=DEVICE):
        for whole in wholes:
            dist.all_gather_into_tensor(whole, there(part(RANK, whole.numel() // SIZE)))
    for whole in wholes:
        same(whole, torch.cat([part(rank, whole.numel() // SIZE) for rank in range(SIZE)]))


def streams():
    """Calls come after what their stream has, and before what waits for them, in whatever streams."""
    for round in range(10):
        stream = torch.cuda.Stream(DEVICE)
        source, tensor = part(RANK + round, 50_000), room(50_000)
        with torch.cuda.stream(stream):
            tensor.copy_(source, non_blocking=True)
            work = dist.all_reduce(tensor, async_op=round % 2 == 0)
        if work is not None:
            work.wait()
        else:
            torch.cuda.current_stream().wait_stream(stream)
        same(tensor, sum(part(rank + round, 50_000) for rank in range(SIZE)))


def futures():
    tensor = there(part(RANK))
    future = dist.all_reduce(tensor, async_op=True).get_future()
    copied = future.then(lambda done: done.value()[0].cpu()).wait()
    assert torch.equal(copied, sum(part(rank) for rank in range(SIZE)))
    work = dist.all_reduce(tensor, async_op=True)
    torch.cuda.synchronize()
    assert work.is_completed() and work.is_success()


def estimates():
    tensor = there(part(RANK))
    with dist.distributed_c10d._time_estimator(device=DEVICE) as estimate:
        dist.all_reduce(tensor)
    same(tensor, part(RANK))  # nothing has run
    assert 0 < estimate.estimated_time < 1e6
    found = [there(part(9)) for _ in range(SIZE)]
    with dist.distributed_c10d._time_estimator(device=DEVICE) as estimate:
        dist.all_to_all(found, [there(part(RANK)) for _ in range(SIZE)])
        dist.all_gather([there(part(8, rank + 1)) for rank in range(SIZE)], there(part(RANK, RANK + 1)))
    for one in found:
        same(one, part(9))
    assert estimate.estimated_time > 0


def host_and_gpu():
    """One group serves both."""
    for _ in range(5):
        here, moved = part(RANK), there(part(RANK))
        dist.all_reduce(here)
        dist.all_reduce(moved)
        same(moved, here)
    dist.barrier()
    dist.barrier(device_ids=[RANK])
    objects = [None] * SIZE
    dist.all_gather_object(objects, {"rank": RANK})
    assert objects == [{"rank": rank} for rank in range(SIZE)]


def barriers():
    """No rank's host is through before the last one has come: each leaves a word in the store first."""
    store = dist.distributed_c10d._get_default_store()
    for turn in range(20):
        store.add(f"{turn}/{RANK}", 1)
        work = dist.barrier(async_op=turn % 2 == 1, device_ids=[RANK])
        if work is not None:
            work.wait()
        assert store.check([f"{turn}/{other}" for other in range(SIZE)])


def subgroups():
    group = dist.new_group([0, 1])
    if RANK in (0, 1):
        tensor = there(part(RANK))
        dist.all_reduce(tensor, group=group)
        same(tensor, part(0) + part(1))
    only = dist.new_group([2])
    if RANK == 2:
        tensor = there(part(RANK))
        dist.all_reduce(tensor, group=only)
        same(tensor, part(2))


def sizes_that_differ():
    group = dist.new_group(timeout=timedelta(seconds=20))
    tensor = there(part(RANK, 1001 + (RANK == 2)))
    try:
        for _ in range(2):
            dist.all_reduce(tensor, group=group)
            torch.cuda.synchronize()
    except dist.DistBackendError as error:
        assert "differ" in str(error), error
    else:
        raise AssertionError("no error")
    tensor = there(part(RANK))  # other groups go on
    dist.all_reduce(tensor)
    same(tensor, sum(part(rank) for rank in range(SIZE)))


CHECKS = [message_before_any_collective, all_reduce, operators, complex_numbers, gathers, reductions,
          broadcast_and_scatter, exchanges, messages, coalesced, streams, futures, estimates, host_and_gpu,
          barriers, subgroups, sizes_that_differ]


def main():
    torch.set_num_threads(1)
    torch.cuda.set_device(DEVICE)
    dist.init_process_group("blink", timeout=timedelta(seconds=60))
    outcomes = {}
    for check in CHECKS:
        try:
            check()
            outcomes[check.__name__] = ""
        except Exception:
            outcomes[check.__name__] = traceback.format_exc()
    dist.destroy_process_group()
    json.dump(outcomes, sys.stdout)


if __name__ == "__main__":
    main()
