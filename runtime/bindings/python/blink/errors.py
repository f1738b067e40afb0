"""Exceptions for the errors of the runtime, with its messages.

A refused call raises InvalidArgument or InvalidUsage. The communicator then remains usable, unless the calls of the
ranks differed and were not made in one group. After a RemoteError the communicator is unusable: close it, or continue
with shrink().
"""


class Error(Exception):
    """The base class of all errors; `code` is the value of blinkResult_t in blink.h."""

    code = 3


class CudaError(Error):
    """A CUDA call failed."""

    code = 1


class SystemFailure(Error, OSError):
    """A file, memory, a thread or a process is not available."""

    code = 2


class InternalError(Error):
    """A defect in Blink."""

    code = 3


class InvalidArgument(Error, ValueError):
    """A single argument is invalid, or a file is not a valid schedule."""

    code = 4


class InvalidUsage(Error):
    """Arguments or ranks do not match each other, no program fits the call, or a closed object was used."""

    code = 5


class RemoteError(Error):
    """Another rank failed, is missing or gave up."""

    code = 6


def of_code(code: int, sentence: str) -> Error:
    """Returns the exception for a result code."""
    for kind in (CudaError, SystemFailure, InternalError, InvalidArgument, InvalidUsage, RemoteError):
        if kind.code == code:
            return kind(sentence)
    return InternalError(f"{sentence} (result code {code})")
