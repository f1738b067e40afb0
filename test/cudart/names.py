#!/usr/bin/env python3
"""Checks the names of the emulated libcudart: what it has is declared by CUDA's headers and has their version, and what
nccl-tests and Blink's programs call is there.

usage: names.py LIBRARY --headers FOLDER...
"""
import pathlib
import re
import subprocess
import sys

NEEDED = """
cudaSetDevice cudaGetDevice cudaGetDeviceCount cudaGetDeviceProperties cudaDeviceGetAttribute cudaDeviceSynchronize
cudaDeviceReset cudaMalloc cudaFree cudaMallocHost cudaHostAlloc cudaFreeHost cudaMemset cudaMemsetAsync cudaMemcpy
cudaMemcpyAsync cudaMemGetInfo cudaStreamCreate cudaStreamCreateWithFlags cudaStreamDestroy cudaStreamQuery
cudaStreamSynchronize cudaStreamWaitEvent cudaStreamBeginCapture cudaStreamEndCapture cudaStreamIsCapturing
cudaGraphInstantiate cudaGraphLaunch cudaGraphExecDestroy cudaGraphDestroy cudaEventCreate cudaEventCreateWithFlags
cudaEventRecord cudaEventQuery cudaEventSynchronize cudaEventElapsedTime cudaEventDestroy cudaLaunchKernel
cudaLaunchHostFunc cudaFuncSetAttribute cudaFuncGetAttributes cudaPointerGetAttributes cudaIpcGetMemHandle
cudaIpcOpenMemHandle cudaIpcCloseMemHandle cudaGetErrorString cudaGetErrorName cudaGetLastError cudaPeekAtLastError
cudaRuntimeGetVersion cudaDriverGetVersion __cudaRegisterFatBinary __cudaPushCallConfiguration
""".split()


def main():
    library, _, *folders = sys.argv[1:]
    listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    names = dict((line.split()[-1].split("@", 1) + [""])[:2] for line in listed.splitlines())
    folder = next(pathlib.Path(part) for folder in folders for part in folder.split(";")
                  if (pathlib.Path(part) / "cuda_runtime_api.h").exists())
    headers = ("cuda_runtime_api.h", "cuda.h", "crt/host_runtime.h", "crt/device_functions.h")
    declared = set(re.findall(r"\b(?:__)?cu\w+", "\n".join((folder / name).read_text(errors="replace") for name in headers)))
    wrong = 0
    for name in NEEDED:
        if name not in names:
            print(f"{library}: error: {name} is missing")
            wrong += 1
    own = [name for name in names if re.match(r"(__)?cu", name)]
    for name in own:
        if name not in declared:
            print(f"{library}: error: CUDA's headers know no {name}")
            wrong += 1
        if names[name].lstrip("@") != "libcudart.so.13":
            print(f"{library}: error: {name} has the version '{names[name]}', and CUDA's has libcudart.so.13")
            wrong += 1
    print(f"{len(own)} names checked, {wrong} wrong")
    return 1 if wrong or len(own) < 80 else 0


if __name__ == "__main__":
    sys.exit(main())
