"""Collective communication by schedules that were compiled by blinkc.

    import numpy, blink

    schedule = blink.Schedule("machine.sched")
    comms = blink.Communicator.all(schedule, 4)  # all ranks in this process
    arrays = [numpy.full(1000, rank, numpy.float32) for rank in range(4)]
    with blink.group():                          # one thread drives them
        for comm, array in zip(comms, arrays):
            comm.all_reduce(array)               # in place

A buffer is any object that supports DLPack or the buffer protocol, such as an array of NumPy, a tensor of PyTorch, a
bytearray or a memoryview.
"""

import contextlib
import math
from typing import Iterator

from . import errors, testing
from ._core import (Communicator, Registration, Schedule, allocate, end_estimate, end_group, start_estimate,
                    start_group, unique_id, version)
from .errors import CudaError, Error, InternalError, InvalidArgument, InvalidUsage, RemoteError, SystemFailure

__version__ = version

__all__ = [
    "Communicator",
    "CudaError",
    "Error",
    "Estimate",
    "InternalError",
    "InvalidArgument",
    "InvalidUsage",
    "Registration",
    "RemoteError",
    "Schedule",
    "SystemFailure",
    "__version__",
    "allocate",
    "errors",
    "estimate",
    "group",
    "testing",
    "unique_id",
]


@contextlib.contextmanager
def group() -> Iterator[None]:
    """Runs the calls made in its block together at the end of the block, so that one thread can drive several ranks.

    Groups can be nested; the outermost group runs the calls. If an exception leaves the block, its calls are discarded.

        with blink.group():
            for comm, array in zip(comms, arrays):
                comm.all_reduce(array)
    """
    start_group()
    try:
        yield
    except BaseException:
        end_group(False)
        raise
    end_group(True)


class Estimate:
    """The time of calls by their schedules' model of time, in `microseconds`, which is NaN until `estimate()` ends."""

    microseconds: float = math.nan


@contextlib.contextmanager
def estimate() -> Iterator[Estimate]:
    """Estimates how long the calls made in its block would take, without running them or changing buffers.

    The times of one communicator's calls are added up; of several communicators, the longest time counts. Groups are
    allowed inside the block, but not around it. The estimate depends on the schedule alone.

        with blink.estimate() as estimate:
            comm.all_reduce(array)
        print(estimate.microseconds)
    """
    result = Estimate()
    start_estimate()
    try:
        yield result
    except BaseException:
        end_group(False)
        raise
    result.microseconds = end_estimate()
