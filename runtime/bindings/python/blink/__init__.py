"""Collective communication by schedules that blinkc compiled.

    import numpy, blink

    schedule = blink.Schedule("machine.sched")
    comms = blink.Communicator.all(schedule, 4)  # all ranks in this process
    arrays = [numpy.full(1000, rank, numpy.float32) for rank in range(4)]
    with blink.group():                          # one thread drives them
        for comm, array in zip(comms, arrays):
            comm.all_reduce(array)               # in place

A buffer is whatever has DLPack or the buffer protocol: arrays of NumPy, tensors of PyTorch, bytearrays, memoryviews.
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
    """Runs the calls made within it together, at its end: how one thread drives several ranks.

    Groups nest; the outermost runs them. If an exception leaves the block, its calls are dropped.

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
    """How long calls take by their schedules' model of time: `microseconds`, which are none until `estimate()` ends."""

    microseconds: float = math.nan


@contextlib.contextmanager
def estimate() -> Iterator[Estimate]:
    """Says how long the calls made within it would take, and runs none of them: buffers stay as they are.

    Calls of one communicator are added up; of several, the longest counts. Groups may be within it, but not around it.
    An estimate, from the schedule alone.

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
