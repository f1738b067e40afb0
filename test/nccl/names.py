"""Looks up in libnccl.so.2 what programs that were built for NCCL do.

names.py FOLDER [OTHER]: that libblink_nccl.so is in, and another library of these names.
"""
import ctypes
import pathlib
import subprocess
import sys

# All that NCCL 2.32.3 shows, which is more than any program looks for.
NAMES = """
AllGather AllGatherConfig AllReduce AllReduceConfig AlltoAll AlltoAllConfig Bcast Broadcast BroadcastConfig CommAbort
CommCount CommCuDevice CommDeregister CommDestroy CommFinalize CommGetAsyncError CommGetUniqueId CommGrow CommInitAll
CommInitRank CommInitRankConfig CommInitRankScalable CommMemStats CommQueryProperties CommRegister CommResume
CommRevoke CommShrink CommSplit CommSuspend CommUserRank CommWindowDeregister CommWindowRegister DevCommCreate
DevCommDestroy Gather GatherConfig GetCftDeviceLeInfo GetErrorString GetLastError GetLsaDevicePointer
GetLsaMultimemDevicePointer GetMultimemDeviceLeInfo GetMultimemDevicePointer GetPeerDeviceLeInfo GetPeerDevicePointer
GetUniqueId GetVersion GinBarrierCreateRequirement GinInboxA2ACreateRequirement GinOutboxCreateRequirement GroupEnd
GroupSimulateEnd GroupStart LLA2ACalcSlots LLA2ACreateRequirement LsaBarrierCreateRequirement MemAlloc MemFree
ParamBind ParamDumpAll ParamGet ParamGetAllParameterKeys ParamGetI16 ParamGetI32 ParamGetI64 ParamGetI8
ParamGetParameter ParamGetStr ParamGetU16 ParamGetU32 ParamGetU64 ParamGetU8 PutSignal Recv RedOpCreatePreMulSum
RedOpDestroy Reduce ReduceConfig ReduceScatter ReduceScatterConfig ResetDebugInit Scatter ScatterConfig Send
SetEncryption Signal TeamCft TeamCftMultimem TeamLsa TeamRail TeamRankToLsa TeamRankToWorld TeamWorld WaitSignal
WinGetUserPtr
""".split()

folder = pathlib.Path(sys.argv[1])
# As PyTorch has NCCL loaded, for all, before vLLM loads another by its path.
other = ctypes.CDLL(sys.argv[2], mode=ctypes.RTLD_GLOBAL) if len(sys.argv) > 2 else None
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
shown = {name: kind for kind, name in (line.split()[-2:] for line in symbols.splitlines())}
expected = {first + name: kind for name in NAMES for first, kind in (("nccl", "W"), ("pnccl", "T"))}
wrong += [f"it shows {name}, too" for name in shown.keys() - expected.keys() - {"ncclResetDebugInitInternal"}]
wrong += [f"{name} is of kind {shown.get(name)}, NCCL's is {kind}" for name, kind in expected.items()
          if shown.get(name) != kind]

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
if other:
    # It calls ncclAllReduce, ncclGetLastError and so on, and there are two.
    if library.ncclAllReduceConfig(None, None, 0, 0, 0, None, None, None) != 4 or \
            b"ncclAllReduce: the communicator is NULL" not in library.ncclGetLastError(None):
        wrong.append("a call of its own does not end in it")
    other.fakeCalls.restype = ctypes.c_char_p
    if calls := other.fakeCalls():
        wrong.append(f"its own calls go to another library: {calls.decode()}")
if wrong:
    sys.exit("\n".join(wrong))
