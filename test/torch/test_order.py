"""Sums in the order of ranks (BLINK_ORDER): with schedules that promise it the bits of a loop, else a sentence."""

import os
import subprocess

import pytest
import torch
import torch.distributed as dist

from jobs import failure_of, find_blinkc, run
from test_reproducible import wild

RANKS = 3
SIZES = [1, 5, 1000, 65_537, 1_000_003]
BLINKC = find_blinkc()
pytestmark = pytest.mark.only_blink("promises of its own")
needs_blinkc = pytest.mark.skipif(not BLINKC, reason="no blinkc: set BLINK_BLINKC")


@pytest.fixture(scope="module")
def ordered(tmp_path_factory):
    """Schedules of allreduce and reducescatter in the order of ranks; a folder."""
    folder = tmp_path_factory.mktemp("ordered")
    for collective in ("allreduce", "reducescatter"):
        subprocess.run([BLINKC, "compile", "host-1numa", "-g", ",".join(map(str, range(RANKS))), "-c", collective,
                        "--order", "rank", "-o", folder / f"{collective}.sched"], check=True, capture_output=True)
    return folder


def in_order(count, dtype, seed):
    """((r0 + r1) + r2) + ..., of what wild() gives the ranks."""
    total = wild(0, count, dtype, seed)
    for rank in range(1, RANKS):
        total = total + wild(rank, count, dtype, seed)
    return total


def failures_of_calls(rank):
    """Of reductions that need an order, and in between of calls that do not: they reduce no floating point numbers."""
    sums = {
        "allreduce": lambda: dist.all_reduce(torch.ones(9)),
        "large": lambda: dist.all_reduce(torch.ones(1_000_000)),
        "maximum": lambda: dist.all_reduce(torch.ones(9), dist.ReduceOp.MAX),
        "average": lambda: dist.all_reduce(torch.ones(9), dist.ReduceOp.AVG),
        "asynchronous": lambda: dist.all_reduce(torch.ones(9), async_op=True).wait(),
        "bfloat16": lambda: dist.all_reduce(torch.ones(9, dtype=torch.bfloat16)),
        "reduce": lambda: dist.reduce(torch.ones(9), 0),
        "reducescatter": lambda: dist.reduce_scatter_tensor(torch.ones(3), torch.ones(3 * RANKS)),
    }
    others = [lambda: dist.all_reduce(torch.ones(9, dtype=torch.int32)),
              lambda: dist.broadcast(torch.ones(9), 0), dist.barrier,
              lambda: dist.all_gather_into_tensor(torch.ones(3 * RANKS), torch.ones(3))]
    # So that a refused call is seen not to harm the next one.
    found = {name: (failure_of(call), failure_of(others[number % len(others)]))
             for number, (name, call) in enumerate(sums.items())}
    assert all(of_other is None for _, of_other in found.values()), found
    return {name: failure for name, (failure, _) in found.items()}


def test_a_sum_that_no_schedule_promises_is_refused(backend, monkeypatch):
    """The package's schedules promise no order. What to do stands in the sentence."""
    monkeypatch.setenv("BLINK_ORDER", "rank")
    for found in run(failures_of_calls, RANKS, backend=backend):
        for name, failure in found.items():
            assert failure is not None, f"{name} was served"
            assert failure[0] == "DistBackendError" and "--order rank" in failure[1], f"{name}: {failure}"


def test_without_it_they_are_served(backend, monkeypatch):
    monkeypatch.delenv("BLINK_ORDER", raising=False)
    assert all(not any(found.values()) for found in run(failures_of_calls, RANKS, backend=backend))


def test_an_order_that_there_is_not(backend, monkeypatch):
    monkeypatch.setenv("BLINK_ORDER", "alphabetical")

    def body(rank):
        return failure_of(lambda: dist.all_reduce(torch.ones(9)))
    for failure in run(body, 2, backend=backend, group_timeout=10):
        assert failure is not None and "BLINK_ORDER" in failure[1] and "alphabetical" in failure[1], failure


@needs_blinkc
def test_only_what_is_promised_is_served(backend, monkeypatch, ordered):
    """There are schedules of allreduce and reducescatter; of reduce only the package's, whose sums have no order."""
    monkeypatch.setenv("BLINK_ORDER", "rank")
    monkeypatch.setenv("BLINK_HOST_SCHEDULES", str(ordered))
    for found in run(failures_of_calls, RANKS, backend=backend):
        assert "--order rank" in found.pop("reduce")[1]
        assert not any(found.values()), found


@needs_blinkc
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_bits_of_a_loop(backend, monkeypatch, ordered, dtype):
    monkeypatch.setenv("BLINK_ORDER", "rank")
    monkeypatch.setenv("BLINK_HOST_SCHEDULES", str(ordered))

    def body(rank):
        for seed, count in enumerate(SIZES):
            expected = in_order(count, dtype, seed)
            tensor = wild(rank, count, dtype, seed)
            dist.all_reduce(tensor)
            assert torch.equal(tensor, expected), f"all_reduce of {count}"
            # Parts of an all_reduce of three times as many.
            whole = wild(rank, RANKS * count, dtype, seed)
            part = torch.empty(count, dtype=dtype)
            dist.reduce_scatter_tensor(part, whole)
            expected = in_order(RANKS * count, dtype, seed)[rank * count:(rank + 1) * count]
            assert torch.equal(part, expected), f"reduce_scatter of {count}"
    run(body, RANKS, backend=backend)


@needs_blinkc
def test_an_element_has_the_same_bits_in_every_size(backend, monkeypatch, ordered):
    """As a request whose answer is not to depend on what it is batched with."""
    monkeypatch.setenv("BLINK_ORDER", "rank")
    monkeypatch.setenv("BLINK_HOST_SCHEDULES", str(ordered))

    def body(rank):
        numbers = wild(rank, 100, torch.float32, 7)
        alone = numbers.clone()
        dist.all_reduce(alone)
        for before, behind in ((0, 1000), (4097, 3), (300_000, 700_001)):
            batch = torch.cat([torch.ones(before), numbers, torch.ones(behind)])
            dist.all_reduce(batch)
            assert torch.equal(batch[before:before + 100], alone), (before, behind)
    run(body, RANKS, backend=backend)
