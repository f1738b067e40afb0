"""Looks up in libnccl.so.2 what programs that were built for NCCL do.

names.py FOLDER: that libblink_nccl.so is in.
"""
import ctypes
import pathlib
import subprocess
import sys

# Of torch 2.15, vLLM and SGLang, CuPy, Horovod, and nccl-tests.
NAMES = """
AllGather AllReduce AlltoAll Bcast Broadcast CommAbort CommCount CommCuDevice CommDeregister CommDestroy CommFinalize
CommGetAsyncError CommGetUniqueId CommGrow CommInitAll CommInitRank CommInitRankConfig CommInitRankScalable
CommMemStats CommQueryProperties CommRegister CommResume CommRevoke CommShrink CommSplit CommSuspend CommUserRank
CommWindowDeregister CommWindowRegister DevCommCreate DevCommDestroy Gather GetErrorString GetLastError
GetLsaMultimemDevicePointer GetPeerDevicePointer GetUniqueId GetVersion GroupEnd GroupSimulateEnd GroupStart MemAlloc
MemFree PutSignal Recv RedOpCreatePreMulSum RedOpDestroy Reduce ReduceScatter Scatter Send Signal WaitSignal
WinGetUserPtr AllReduceConfig BroadcastConfig ReduceConfig AllGatherConfig ReduceScatterConfig AlltoAllConfig
GatherConfig ScatterConfig SetEncryption
""".split()

folder = pathlib.Path(sys.argv[1])
path = folder / "libnccl.so.2"
library = ctypes.CDLL(str(path))
wrong = [name for name in NAMES for first in ("nccl", "pnccl") if not hasattr(library, first + name)]
if path.resolve() != (folder / "libblink_nccl.so").resolve():
    wrong.append(f"{path} is not libblink_nccl.so")

dynamic = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
if "Library soname: [libnccl.so.2]" not in dynamic:
    wrong.append("its SONAME is not libnccl.so.2")
if "libblink" in dynamic:
    wrong.append("it needs another library of Blink's")
symbols = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
others = [line.split()[-1] for line in symbols.splitlines() if not line.split()[-1].startswith(("nccl", "pnccl"))]
wrong += [f"it shows {name}, too" for name in others]

version = ctypes.c_int()
if library.ncclGetVersion(ctypes.byref(version)) != 0 or version.value < 22700:
    wrong.append(f"its version is {version.value}")
library.ncclGetErrorString.restype = ctypes.c_char_p
library.ncclGetLastError.restype = ctypes.c_char_p
library.ncclGetLastError.argtypes = [ctypes.c_void_p]
if not library.ncclGetErrorString(5):
    wrong.append("it has no words for an error")
if library.ncclPutSignal() != 5 or b"ncclPutSignal" not in library.ncclGetLastError(None):
    wrong.append("ncclPutSignal does not say that it is not served")
if wrong:
    sys.exit("\n".join(wrong))
