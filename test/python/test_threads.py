"""Objects that several threads use at a time, and blink.testing."""

import threading

import numpy
import pytest

import blink


def in_threads(*functions):
    """Calls each on a thread of its own; what they returned or raised."""
    results = [None] * len(functions)

    def call(i):
        try:
            results[i] = functions[i]()
        except Exception as error:
            results[i] = error

    threads = [threading.Thread(target=call, args=(i,), daemon=True) for i in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    return results


def test_threads_take_turns_on_one_communicator(schedule):
    """Any thread may drive any group: the calls of a group are made together."""
    comms = blink.Communicator.all(schedule, 3)

    def job():
        for _ in range(50):
            arrays = [numpy.ones(50_000) for _ in comms]
            with blink.group():
                for comm in reversed(comms):
                    comm.all_reduce(arrays[comm.rank])
            assert all((array == 3).all() for array in arrays)
        return "good"

    assert in_threads(*[job] * 4) == ["good"] * 4


def test_the_gil_is_free_during_calls(schedule):
    """One rank waits in the library for the other, which needs the GIL to get there."""
    comms = blink.Communicator.all(schedule, 2, timeout=20)
    calling = threading.Event()

    def first():
        calling.set()
        comms[0].all_reduce(bytearray(4))

    def second():
        calling.wait()
        comms[1].all_reduce(bytearray(4))

    assert in_threads(first, second) == [None, None]


def test_close_during_a_call_is_refused(schedule):
    def attempt():
        """Whether the call began before close(), which is a race."""
        comms = blink.Communicator.all(schedule, 2, timeout=20)
        calling = threading.Event()

        def call():
            calling.set()
            with pytest.raises((blink.RemoteError, blink.InvalidUsage)):
                comms[0].all_reduce(bytearray(4))  # the other rank never calls

        thread = threading.Thread(target=call)
        thread.start()
        calling.wait()
        try:
            comms[0].close()
            return False
        except blink.InvalidUsage as error:
            assert "abort() ends it" in str(error)
            comms[0].abort()
            return True
        finally:
            thread.join()

    assert any(attempt() for _ in range(1000))


def test_abort_at_any_time(schedule):
    """Aborts race with the beginnings and ends of calls."""
    for turn in range(100):
        comms = blink.Communicator.all(schedule, 3, timeout=20)

        def call(comm):
            with pytest.raises((blink.RemoteError, blink.InvalidUsage)):
                for _ in range(turn):
                    comm.all_reduce(bytearray(100))
                while True:
                    comm.all_reduce(bytearray(100))

        outcomes = in_threads(*[lambda comm=comm: call(comm) for comm in comms], comms[1].abort)
        assert outcomes == [None] * 4


def test_close_and_use_at_any_time(schedule):
    for _ in range(100):
        comms = blink.Communicator.all(schedule, 2, timeout=20)

        def use():
            try:
                for _ in range(5):
                    with blink.group():
                        for comm in comms:
                            comm.all_reduce(bytearray(10))
                    comms[0].async_error
            except blink.Error:
                return

        def close():
            for comm in comms:
                try:
                    comm.close()
                except blink.InvalidUsage:
                    comm.abort()

        assert in_threads(use, use, close, close) == [None] * 4


def test_a_thread_that_ends_within_a_group(comms):
    def job():
        blink._core.start_group()
        comms[0].all_reduce(bytearray(4))

    in_threads(job)
    with blink.group():
        for comm in comms:
            comm.all_reduce(bytearray(4))


def test_ranks_join_by_id_in_threads(schedule):
    id = blink.unique_id()

    def job(rank):
        with blink.Communicator(schedule, 4, rank, id, timeout=20) as comm:
            array = numpy.full(11, rank, numpy.int32)
            comm.all_reduce(array)
            return array.tolist()

    assert in_threads(*[lambda rank=rank: job(rank) for rank in range(4)]) == [[6] * 11] * 4


def test_run_returns_results_by_rank(schedule):
    assert blink.testing.run(3, lambda comm: comm.rank * 10, schedule) == [0, 10, 20]


def test_run_raises_the_first_failure(schedule):
    def job(comm):
        if comm.rank == 1:
            raise KeyError("rank 1")
        comm.all_reduce(bytearray(4))  # the others would wait

    with pytest.raises(KeyError, match="rank 1"):
        blink.testing.run(3, job, schedule)


def test_run_ends_what_waits(schedule):
    def job(comm):
        if comm.rank != 1:
            comm.all_reduce(bytearray(4))

    with pytest.raises((blink.RemoteError, TimeoutError)):
        blink.testing.run(3, job, schedule, timeout=0.3)


def test_run_leaves_what_never_ends(schedule):
    forever = threading.Event()
    with pytest.raises(TimeoutError, match="rank 0, 2 did not return in 0.2 s"):
        blink.testing.run(3, lambda comm: forever.wait() if comm.rank != 1 else None, schedule, timeout=0.2)
    forever.set()
