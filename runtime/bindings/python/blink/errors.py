"""Errors of the runtime as exceptions, with its sentences.

What was refused is InvalidArgument or InvalidUsage, and the communicator may be used on, but not after calls of ranks
that differ were made outside one group. After a RemoteError it may not: close it, or go on with shrink().
"""


class Error(Exception):
    """The base of all; `code` is the number of blink.h's blinkResult_t."""

    code = 3


class CudaError(Error):
    """A CUDA call failed."""

    code = 1


class SystemFailure(Error, OSError):
    """A file, memory, a thread or a process is not to be had."""

    code = 2


class InternalError(Error):
    """A defect in Blink."""

    code = 3


class InvalidArgument(Error, ValueError):
    """One argument is wrong by itself, or a file is no right schedule."""

    code = 4


class InvalidUsage(Error):
    """Arguments or ranks do not fit together, or no program fits; or a closed object was used."""

    code = 5


class RemoteError(Error):
    """Another rank failed, is missing or gave up."""

    code = 6


def of_code(code: int, sentence: str) -> Error:
    """The exception for a result code."""
    for kind in (CudaError, SystemFailure, InternalError, InvalidArgument, InvalidUsage, RemoteError):
        if kind.code == code:
            return kind(sentence)
    return InternalError(f"{sentence} (result code {code})")
