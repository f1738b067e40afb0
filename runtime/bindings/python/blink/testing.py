"""Helpers for tests of programs that use collectives: ranks are threads of one process.

    def step(comm):
        array = numpy.full(10, comm.rank, numpy.float32)
        comm.all_reduce(array)
        return array[0]

    assert blink.testing.run(4, step, schedule) == [6, 6, 6, 6]
"""

import threading
import time
from typing import Any, Callable, TypeVar

from ._core import Communicator, Schedule
from .errors import Error

__all__ = ["run"]

Result = TypeVar("Result")


def run(
    nranks: int,
    function: Callable[[Communicator], Result],
    schedule: Schedule,
    *,
    timeout: float = 60.0,
    **settings: Any,
) -> "list[Result]":
    """Calls `function(comm)` on a thread for each rank, and returns the results by rank.

    If a call raises an exception, the communicators of the other ranks are aborted, so that they do not wait, and the
    first exception is raised. After `timeout` seconds all communicators are aborted, and TimeoutError names the ranks
    whose function has not returned. If threads still do not return, they are left running, because a Python thread
    cannot be ended from outside.

    `settings` are passed to Communicator.all.
    """
    comms = Communicator.all(schedule, nranks, **settings)
    results: "list[Any]" = [None] * nranks
    failures: "list[BaseException]" = []  # in the order in which they occur
    ended = threading.Semaphore(0)
    returned = [False] * nranks

    def rank(comm: Communicator) -> None:
        try:
            results[comm.rank] = function(comm)
        except BaseException as failure:
            failures.append(failure)
            comm.abort()
        finally:
            returned[comm.rank] = True
            ended.release()

    threads = [threading.Thread(target=rank, args=(comm,), name=f"rank {comm.rank}", daemon=True) for comm in comms]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + timeout
    for _ in comms:
        ended.acquire(timeout=max(deadline - time.monotonic(), 0))
    late = [comm.rank for comm in comms if not returned[comm.rank]]
    for comm, thread in zip(comms, threads):
        if late:
            comm.abort()
        else:
            thread.join()
            _close(comm)
    if failures:
        raise failures[0]
    if late:
        raise TimeoutError(f"rank {', '.join(map(str, late))} did not return in {timeout:g} s")
    return results


def _close(comm: Communicator) -> None:
    try:
        comm.close()
    except Error:
        comm.abort()  # a thread that the function started is in a call
