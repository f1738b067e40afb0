"""Writes the functions of CUDA that PyTorch's libraries are linked to and the emulation lacks, as ones that refuse.

    torch_driver.py TORCH_FOLDER LIBCUDART OUT.c OUT.map

Which they are follows from the libraries themselves, so that another version of PyTorch is met as well.
"""

import pathlib
import re
import subprocess
import sys

# What PyTorch asks for when it begins to use a device, and takes no refusal of.
ANSWERED = {
    "cuDevicePrimaryCtxGetState": "int device, unsigned *flags, int *active) { *flags = 0; *active = 1; return 0; }",
    "cuCtxSetCurrent": "void *context) { return 0; }",
    "cudaStreamGetCaptureInfo": "void *stream, int *status, unsigned long long *id, void **graph, void **nodes, "
    "void **edges, unsigned long *count) { *status = 0; return 0; }",
}
NOT_SUPPORTED = 801  # cudaErrorNotSupported, and the driver's


def symbols(library, *flags):
    listed = subprocess.run(["nm", "-D", *flags, library], capture_output=True, text=True)
    return {line.split()[-1].split("@")[0] for line in listed.stdout.splitlines() if line.strip()}


torch, cudart, code, version_map = sys.argv[1:]
libraries = [*pathlib.Path(torch, "lib").glob("*.so*"), *pathlib.Path(torch).parent.glob("nvidia/*/lib/*.so*")]
needed = set().union(*(symbols(library, "--undefined-only") for library in libraries))
needed = {name for name in needed if re.fullmatch(r"cuda[A-Z]\w*|__cuda\w+|cu[A-Z]\w*", name)}
missing = sorted((needed | set(ANSWERED)) - symbols(cudart, "--defined-only"))

with open(code, "w") as out:
    out.write('extern "C" {\n')
    for name in missing:
        out.write(f"int {name}({ANSWERED.get(name, f') {{ return {NOT_SUPPORTED}; }}')}\n")
    out.write("}\n")
with open(version_map, "w") as out:
    of_runtime = "".join(f"    {name};\n" for name in missing if "cuda" in name)
    out.write(f"libcudart.so.13 {{\n  global:\n{of_runtime}}};\n")
