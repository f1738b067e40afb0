"""A communicator of 8 ranks, with schedules for all collectives and messages, holds at most 64 MiB a GPU at rest.

memory.py LIBRARY: libnccl.so.2, over emulated GPUs.
"""
import ctypes
import sys

RANKS, TOTAL, MOST = 8, 3, 64 << 20
library = ctypes.CDLL(sys.argv[1])
library.ncclGetLastError.restype = ctypes.c_char_p
library.ncclGetLastError.argtypes = [ctypes.c_void_p]
comms = (ctypes.c_void_p * RANKS)()
if library.ncclCommInitAll(comms, RANKS, None) != 0:
    sys.exit(library.ncclGetLastError(None).decode())
for rank, comm in enumerate(comms):
    held = ctypes.c_uint64()
    if library.ncclCommMemStats(ctypes.c_void_p(comm), TOTAL, ctypes.byref(held)) != 0:
        sys.exit(library.ncclGetLastError(None).decode())
    print(f"rank {rank}: {held.value / (1 << 20):.1f} MiB")
    if not 0 < held.value <= MOST:
        sys.exit(f"rank {rank} holds {held.value} bytes, at most {MOST}")
    library.ncclCommDestroy(ctypes.c_void_p(comm))
