"""The same bits on every rank and in every run, whatever the values and the sizes, and however late ranks come."""

import pytest
import torch
import torch.distributed as dist

from jobs import run
from models import fingerprint

SIZES = [1, 5, 1000, 65_537, 1_000_003]


def wild(rank, count, dtype, seed):
    """Numbers whose sum depends on the order: of very different sizes and both signs."""
    generator = torch.Generator().manual_seed(100 * seed + rank)
    return (torch.randn(count, generator=generator, dtype=torch.float64) *
            10 ** (6 * torch.rand(count, generator=generator, dtype=torch.float64) - 3)).to(dtype)


def hashes_of_all(ranks, dtypes):
    def body(rank):
        found = {}
        for seed, (count, dtype) in enumerate((count, dtype) for count in SIZES for dtype in dtypes):
            tensor = wild(rank, count, dtype, seed)
            dist.all_reduce(tensor)
            found["all_reduce", count, dtype] = fingerprint([tensor])
            whole = wild(rank, ranks * count, dtype, seed)
            part = torch.empty(count, dtype=dtype)
            dist.reduce_scatter_tensor(part, whole)
            gathered = torch.empty(ranks * count, dtype=dtype)
            dist.all_gather_into_tensor(gathered, part)
            found["reduce_scatter", count, dtype] = fingerprint([gathered])
            total = wild(rank, count, dtype, seed)
            dist.reduce(total, 0)
            dist.broadcast(total, 0)
            found["reduce", count, dtype] = fingerprint([total])
        return found
    return body


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_ranks_and_runs(backend, ranks):
    dtypes = [torch.float32, torch.float64, torch.bfloat16, torch.float16]
    first, second = [run(hashes_of_all(ranks, dtypes), ranks, backend=backend) for _ in range(2)]
    assert all(found == first[0] for found in first), "ranks differ"
    assert second == first, "runs differ"


@pytest.mark.only_blink("promises of its own")
def test_a_sum_does_not_depend_on_who_comes_late(backend):
    """Another rank is the last one each time: it makes its call when the others' calls are in the store."""
    def body(rank):
        store = dist.distributed_c10d._get_default_store()
        found = set()
        for last in range(3):
            tensor = wild(rank, 10_000, torch.float32, 1)
            if rank == last:
                store.wait([f"{last}: {other}" for other in range(3) if other != last])
                work = dist.all_reduce(tensor, async_op=True)
            else:
                work = dist.all_reduce(tensor, async_op=True)
                store.add(f"{last}: {rank}", 1)
            work.wait()
            found.add(fingerprint([tensor]))
        return found
    results = run(body, 3, backend=backend)
    assert all(len(found) == 1 for found in results) and len(set.union(*results)) == 1, results


@pytest.mark.only_blink("promises of its own")
def test_a_sum_does_not_depend_on_where_its_tensor_lies(backend):
    """In place of a larger tensor, and alone: the same numbers, the same bits."""
    def body(rank):
        alone = wild(rank, 9_999, torch.float32, 2)
        buffer = torch.zeros(12_000)
        piece = buffer[1001:11_000]
        piece.copy_(alone)
        strided = torch.zeros(9_999, 2)[:, 1]
        strided.copy_(alone)
        for tensor in (alone, piece, strided):
            dist.all_reduce(tensor)
        assert torch.equal(alone, piece) and torch.equal(alone, strided)
        return fingerprint([alone])
    assert len(set(run(body, 3, backend=backend))) == 1


def test_special_values(backend):
    def body(rank):
        numbers = torch.tensor([float("inf"), -float("inf"), float("nan"), -0.0, 1e-45, 3e38])
        tensor = numbers.clone()
        dist.all_reduce(tensor)
        assert tensor[0] == float("inf") and tensor[1] == -float("inf") and tensor[2].isnan()
        assert tensor[3] == 0 and tensor[4] == 2 * numbers[4] and tensor[5] == float("inf")
        tensor = numbers.clone() if rank == 0 else torch.zeros(6)
        dist.all_reduce(tensor, dist.ReduceOp.MAX)
        assert tensor[0] == float("inf") and tensor[1] == 0 and tensor[5] == numbers[5]
    run(body, 2, backend=backend)
