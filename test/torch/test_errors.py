"""Mistakes and misfortunes: the right exception with a sentence on every rank, within the time limit, and no hang."""

import os
import time
from datetime import timedelta

import pytest
import torch
import torch.distributed as dist

from jobs import Died, failure_of, init, run

only_blink = pytest.mark.only_blink("gloo says something else, or hangs, or is wrong without a word")


def all_fail(results, *words, kinds=("DistBackendError",), ranks=None):
    """Every rank's outcome is an exception of these kinds whose sentence has one of the words."""
    for rank, outcome in enumerate(results):
        if ranks is not None and rank not in ranks:
            continue
        assert outcome is not None, f"rank {rank} saw no failure"
        kind, sentence = outcome
        assert kind in kinds, f"rank {rank}: {kind}: {sentence}"
        assert not words or any(word in sentence for word in words), f"rank {rank}: {sentence}"


def test_it_is_pytorchs_class_of_exceptions(backend):
    assert issubclass(dist.DistBackendError, dist.DistError) and issubclass(dist.DistError, RuntimeError)


@only_blink
@pytest.mark.parametrize("call", [
    lambda rank: dist.all_reduce(torch.ones(10 + (rank == 1))),
    lambda rank: dist.all_reduce(torch.ones(100_000 + 7 * (rank == 2))),
    lambda rank: dist.broadcast(torch.ones(10 + (rank == 1)), 0),
    lambda rank: dist.all_gather_into_tensor(torch.ones(3 * (10 + (rank == 1))), torch.ones(10 + (rank == 1))),
    lambda rank: dist.reduce_scatter_tensor(torch.ones(10 + (rank == 1)), torch.ones(3 * (10 + (rank == 1)))),
    lambda rank: dist.reduce(torch.ones(10 + (rank == 1)), 0),
], ids=["all_reduce", "a large all_reduce", "broadcast", "all_gather", "reduce_scatter", "reduce"])
def test_sizes_that_differ(backend, call):
    """A rank that only sends may be done before: it hears with its next call."""
    def body(rank):
        return failure_of(lambda: (call(rank), dist.barrier()))
    all_fail(run(body, 3, backend=backend, group_timeout=10), "differ")


@only_blink
def test_types_that_differ(backend):
    """Of one size: bytes alone would not show it."""
    def body(rank):
        return failure_of(lambda: dist.all_reduce(torch.ones(10, dtype=torch.float32 if rank else torch.int32)))
    all_fail(run(body, 3, backend=backend, group_timeout=10), "differ")


@only_blink
def test_operators_that_differ(backend):
    def body(rank):
        op = dist.ReduceOp.MAX if rank == 1 else dist.ReduceOp.SUM
        return failure_of(lambda: dist.all_reduce(torch.ones(10), op))
    all_fail(run(body, 3, backend=backend, group_timeout=10), "differ")


@only_blink
def test_collectives_that_differ(backend):
    def body(rank):
        return failure_of(lambda: dist.broadcast(torch.ones(10), 0) if rank == 1 else dist.all_reduce(torch.ones(10)))
    all_fail(run(body, 3, backend=backend, group_timeout=10), "differ")


@only_blink
def test_roots_that_differ(backend):
    def body(rank):
        return failure_of(lambda: (dist.broadcast(torch.ones(10), rank % 2), dist.barrier()))
    all_fail(run(body, 3, backend=backend, group_timeout=10))


@only_blink
def test_uneven_splits_that_do_not_match(backend):
    """Rank 0 means to send 3 rows to rank 1, which means to get 2, and is told."""
    def body(rank):
        splits = [[1, 3], [1, 1]][rank], [[1, 1], [2, 1]][rank]
        return failure_of(lambda: dist.all_to_all_single(torch.ones(sum(splits[1])), torch.ones(sum(splits[0])),
                                                         splits[1], splits[0]))
    all_fail(run(body, 2, backend=backend, group_timeout=10), "sent 3 of Float", ranks=[1])


@only_blink
def test_a_message_of_another_size_than_expected(backend):
    def body(rank):
        if rank == 0:
            return failure_of(lambda: dist.send(torch.ones(10), 1))
        return failure_of(lambda: dist.recv(torch.ones(8), 0))
    all_fail(run(body, 2, backend=backend, group_timeout=5), ranks=[1])


def test_arguments_that_are_wrong_by_themselves(backend):
    """They are refused before anything is sent, on the rank alone, and the group goes on."""
    def body(rank):
        mistakes = [
            lambda: dist.all_gather([torch.ones(3)], torch.ones(3)),  # a list for one
            lambda: dist.all_gather_into_tensor(torch.ones(5), torch.ones(3)),
            lambda: dist.all_gather_into_tensor(torch.ones(6, dtype=torch.int32), torch.ones(3)),
            lambda: dist.reduce_scatter_tensor(torch.ones(3), torch.ones(5)),
            lambda: dist.reduce_scatter(torch.ones(3), [torch.ones(3)]),
            lambda: dist.scatter(torch.ones(3), [torch.ones(3)], rank),
            lambda: dist.gather(torch.ones(3), [], rank),
            lambda: dist.all_to_all_single(torch.ones(5), torch.ones(5)),
            lambda: dist.all_to_all_single(torch.ones(4), torch.ones(4), [1, 2], [2, 2]),
            lambda: dist.all_to_all([torch.ones(3)], [torch.ones(3)]),
            lambda: dist.broadcast(torch.ones(3), 5),
            lambda: dist.reduce(torch.ones(3), 5),
            lambda: dist.all_reduce(torch.ones(3), dist.ReduceOp.BAND),
            lambda: dist.send(torch.ones(3), 7),
        ]
        for number, mistake in enumerate(mistakes):
            failure = failure_of(mistake)
            assert failure is not None and failure[1], f"mistake {number} passed"
            total = torch.ones(2)
            dist.all_reduce(total)
            assert total.tolist() == [2, 2], f"after mistake {number}"
    if backend == "gloo":
        pytest.skip("gloo hangs at some of them")
    run(body, 2, backend=backend, group_timeout=10)


@only_blink
@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_rank_that_dies(backend, asynchronous):
    """In the middle of a training: whoever waits for it is told its number at once, not after the time limit."""
    def body(rank):
        tensor = torch.ones(1000)
        for _ in range(3):
            dist.all_reduce(tensor)
        if rank == 1:
            os._exit(3)
        began = time.monotonic()

        def calls():
            for _ in range(100):
                if asynchronous:
                    dist.all_reduce(tensor, async_op=True).wait()
                else:
                    dist.all_reduce(tensor)
        failure = failure_of(calls)
        assert time.monotonic() - began < 25, "it waited for the time limit"
        # and it stays so, with the same reason, for every later call
        again = failure_of(lambda: dist.all_reduce(torch.ones(3)))
        assert again is not None and "rank 1" in again[1], again
        return failure
    results = run(body, 3, backend=backend, may_die={1}, group_timeout=50)
    assert results[1] == Died(3)
    all_fail(results, "rank 1", ranks=[0, 2])


@only_blink
def test_a_rank_that_dies_while_others_receive_from_it(backend):
    def body(rank):
        dist.barrier()
        if rank == 1:
            os._exit(3)
        if rank == 0:
            return failure_of(lambda: dist.recv(torch.ones(3), 1))
        return failure_of(lambda: dist.barrier())
    results = run(body, 3, backend=backend, may_die={1}, group_timeout=50, timeout=45)
    all_fail(results, "rank 1", ranks=[0, 2])


@pytest.mark.parametrize("ranks", [2, 4])
def test_a_rank_that_never_calls(backend, ranks):
    """The others are told at the time limit, by the number of who is missing; the one that is late is told, too."""
    def body(rank):
        dist.all_reduce(torch.ones(1))
        store = dist.distributed_c10d._get_default_store()
        if rank == 1:
            store.wait([f"{other} has failed" for other in range(ranks) if other != 1])
            return failure_of(lambda: dist.all_reduce(torch.ones(3)))
        began = time.monotonic()
        failure = failure_of(lambda: dist.all_reduce(torch.ones(3)))
        seconds = time.monotonic() - began
        store.add(f"{rank} has failed", 1)
        assert 1.5 < seconds < 15, f"{seconds} s"
        return failure
    results = run(body, ranks, backend=backend, group_timeout=2)
    if backend == "blink":
        all_fail(results, "rank 1", ranks=[rank for rank in range(ranks) if rank != 1])
        all_fail(results)
    else:
        assert all(results[rank] is not None for rank in range(ranks) if rank != 1)


def test_a_message_that_never_comes(backend):
    def body(rank):
        dist.barrier()
        store = dist.distributed_c10d._get_default_store()
        if rank == 0:
            failure = failure_of(lambda: dist.recv(torch.ones(3), 1))
            store.add("failed", 1)
            return failure
        store.wait(["failed"])
    results = run(body, 2, backend=backend, group_timeout=2)
    if backend == "blink":
        all_fail(results, "rank 1", ranks=[0])
    else:
        assert results[0] is not None


def test_a_wait_with_a_limit_of_its_own(backend):
    """work.wait(timeout) ends at its limit; what becomes of the group is the back end's to say, but it is no hang."""
    def body(rank):
        dist.barrier()
        store = dist.distributed_c10d._get_default_store()
        if rank == 0:
            work = dist.all_reduce(torch.ones(3), async_op=True)
            failure = failure_of(lambda: work.wait(timedelta(milliseconds=300)))
            store.add("failed", 1)
            return failure
        store.wait(["failed"])
    assert run(body, 2, backend=backend, group_timeout=20)[0] is not None


@only_blink
def test_a_barrier_with_a_limit_of_its_own(backend):
    def body(rank):
        dist.barrier()
        store = dist.distributed_c10d._get_default_store()
        if rank == 0:
            began = time.monotonic()
            failure = failure_of(lambda: dist.barrier(timeout=timedelta(milliseconds=200)))
            assert time.monotonic() - began < 10
            store.add("failed", 1)
            return failure
        store.wait(["failed"])
    all_fail(run(body, 2, backend=backend, group_timeout=60), "Timed out after 200 ms", ranks=[0])


@only_blink
def test_a_future_that_fails(backend):
    def body(rank):
        dist.barrier()
        store = dist.distributed_c10d._get_default_store()
        if rank == 1:
            store.wait(["failed"])
            return None
        work = dist.all_reduce(torch.ones(3), async_op=True)
        chained = work.get_future().then(lambda future: future.value())
        failure = failure_of(lambda: chained.wait())
        assert failure is not None and "rank 1" in failure[1]
        assert work.is_completed() and not work.is_success()
        # wait() says it as well, and so does what was begun after it
        second = failure_of(lambda: work.wait())
        third = failure_of(lambda: dist.all_reduce(torch.ones(3), async_op=True).wait())
        store.add("failed", 1)
        return second, third
    for failure in run(body, 2, backend=backend, group_timeout=2)[0]:
        assert failure[0] == "DistBackendError" and "rank 1" in failure[1]


@only_blink
def test_calls_that_wait_when_a_rank_dies_all_fail(backend):
    """Many are begun, none of them hangs."""
    def body(rank):
        dist.barrier()
        if rank == 1:
            os._exit(0)
        works = [dist.all_reduce(torch.ones(1000), async_op=True) for _ in range(50)]
        return [failure_of(work.wait) for work in works][-1]
    all_fail(run(body, 3, backend=backend, may_die={1}, group_timeout=50, timeout=45), "rank 1", ranks=[0, 2])


def test_monitored_barrier_names_who_is_missing(backend):
    def body(rank):
        dist.barrier()
        store = dist.distributed_c10d._get_default_store()
        if rank == 2:
            store.wait(["0 failed", "1 failed"])
            return None
        failure = failure_of(lambda: dist.monitored_barrier(timeout=timedelta(seconds=2)))
        store.add(f"{rank} failed", 1)
        return failure
    results = run(body, 3, backend=backend)
    assert "Rank 2 failed to pass monitoredBarrier" in results[0][1] and results[1] is not None


def test_monitored_barrier_names_all_who_are_missing(backend):
    def body(rank):
        dist.barrier()
        store = dist.distributed_c10d._get_default_store()
        if rank:
            store.wait(["failed"])
            return None
        failure = failure_of(lambda: dist.monitored_barrier(timeout=timedelta(seconds=1), wait_all_ranks=True))
        store.add("failed", 1)
        return failure
    assert "1, 2" in run(body, 3, backend=backend)[0][1]


@only_blink
def test_more_ranks_than_there_is_a_schedule_for(backend):
    def body(rank, port):
        def joins():
            init(backend, rank, 17, port, 20)
            dist.all_reduce(torch.ones(1))
        return failure_of(joins)
    results = run(body, 17, backend=None)
    for rank, failure in enumerate(results):
        assert failure is not None, rank
        assert failure[0] in ("DistBackendError", "RuntimeError", "ValueError"), failure
        assert "17" in failure[1] and "blinkc" in failure[1], failure  # what is missing, and what to run


@only_blink
@pytest.mark.parametrize("variable, value, words", [
    ("BLINK_HOST_SCHEDULES", "/nonexistent/machine.sched", ["/nonexistent/machine.sched"]),
    ("BLINK_HOST_SCHEDULES", __file__, [os.path.basename(__file__)]),
])
def test_schedules_that_are_none(backend, variable, value, words, monkeypatch):
    monkeypatch.setenv(variable, value)

    def body(rank, port):
        def joins():
            init(backend, rank, 2, port, 10)
            dist.all_reduce(torch.ones(1))
        return failure_of(joins)
    for failure in run(body, 2, backend=None):
        assert failure is not None and any(word in failure[1] for word in words), failure


@only_blink
def test_a_schedule_that_one_rank_lacks(backend, monkeypatch):
    """The others are told, and do not wait for it until the end of time."""
    def body(rank, port):
        if rank == 1:
            os.environ["BLINK_HOST_SCHEDULES"] = "/nonexistent/machine.sched"

        def joins():
            init(backend, rank, 2, port, 5)
            dist.all_reduce(torch.ones(1))
        return failure_of(joins)
    results = run(body, 2, backend=None, timeout=60)
    assert all(failure is not None for failure in results) and "/nonexistent" in results[1][1]


@only_blink
def test_a_rank_that_never_joins(backend):
    """It made the group, and then did nothing: the first call of the others ends at the time limit."""
    def body(rank):
        store = dist.distributed_c10d._get_default_store()
        if rank == 1:
            store.wait(["failed"])
            return None
        failure = failure_of(lambda: dist.all_reduce(torch.ones(3)))
        store.add("failed", 1)
        return failure
    all_fail(run(body, 2, backend=backend, group_timeout=2), "rank 1", ranks=[0])


@only_blink
def test_abort(backend):
    """A watchdog's thread gives the group up while another one waits in it."""
    import threading

    def body(rank):
        dist.barrier()
        store = dist.distributed_c10d._get_default_store()
        if rank == 1:
            store.wait(["0 has begun"])
            dist.distributed_c10d._abort_process_group()
            return None
        outcome = []
        work = dist.all_reduce(torch.ones(3), async_op=True)
        waiter = threading.Thread(target=lambda: outcome.append(failure_of(work.wait)))
        waiter.start()
        store.add("0 has begun", 1)
        waiter.join()
        return outcome[0]
    all_fail(run(body, 2, backend=backend, group_timeout=50, timeout=45), "rank 1", ranks=[0])


@only_blink
def test_abort_of_ones_own_call(backend):
    import threading

    def body(rank):
        dist.barrier()
        store = dist.distributed_c10d._get_default_store()
        if rank == 1:
            store.wait(["failed"])
            return None
        outcome = []
        work = dist.all_reduce(torch.ones(3), async_op=True)
        waiter = threading.Thread(target=lambda: outcome.append(failure_of(work.wait)))
        waiter.start()
        dist.distributed_c10d._abort_process_group()
        waiter.join()
        store.add("failed", 1)
        return outcome[0]
    all_fail(run(body, 2, backend=backend, group_timeout=50, timeout=45), ranks=[0])


def test_groups_made_by_some_ranks_only_do_not_disturb_the_others(backend):
    """destroy_process_group while another rank has already left."""
    def body(rank):
        for _ in range(3):
            dist.all_reduce(torch.ones(10))
        if rank == 0:
            dist.destroy_process_group()  # the others have not come to it yet
        else:
            tensor = torch.ones(3)
            group = None
            del group, tensor
    run(body, 3, backend=backend)


@only_blink
def test_detail_debugging_says_which_call_differs(backend, monkeypatch):
    """PyTorch's own wrapper works around the back end: it needs gloo beside it."""
    monkeypatch.setenv("TORCH_DISTRIBUTED_DEBUG", "DETAIL")

    def body(rank):
        dist.set_debug_level(dist.DebugLevel.DETAIL)
        tensor = torch.ones(4)
        dist.all_reduce(tensor)
        assert tensor[0] == 2
        return failure_of(lambda: dist.all_reduce(torch.ones(3 + rank)))
    for failure in run(body, 2, backend=backend, group_timeout=10):
        assert failure is not None
