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
from typing import Iterator

from . import errors, testing
from ._core import Communicator, Registration, Schedule, allocate, end_group, start_group, unique_id, version
from .errors import CudaError, Error, InternalError, InvalidArgument, InvalidUsage, RemoteError, SystemFailure

__version__ = version

__all__ = [
    "Communicator",
    "CudaError",
    "Error",
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
