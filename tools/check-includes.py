#!/usr/bin/env python3
"""Checks which files may include which (docs/contributing.md, "Where things live").

The runtime must build without the compiler, the solver must not depend on MLIR,
and the verifier must not share code with the compiler, whose output it checks.
This test enforces these rules.
"""
import pathlib
import re
import sys

# Folder -> include prefixes that no file below it may use.
MLIR = ("mlir/", "dialect/")
COMPILER_LIBRARIES = ("llvm/", "glpk", "nlohmann/", "CLI/", "compiler/", *MLIR)
ROOT = pathlib.Path(__file__).resolve().parent.parent


def folders(of, *without):
    return tuple(sorted(path.name for path in (ROOT / of).iterdir() if path.is_dir() and path.name not in without))


ROOMS = folders("compiler")
RUNTIME_FILES = tuple(sorted(path.stem for path in (ROOT / "runtime").glob("*.h") if path.name != "blink.h"))
RUNTIME_ROOMS = folders("runtime", "bindings", "examples")


def but(*allowed):
    """All of compiler/ but these rooms."""
    return tuple(f"compiler/{room}/" for room in ROOMS if room not in allowed)


def runtime_but(*allowed):
    """All of runtime/ but these rooms, and what joins the rooms."""
    return ("runtime/Backend.h", *(f"runtime/{room}/" for room in RUNTIME_ROOMS if room not in allowed))


FORBIDDEN = {
    "schedules": (*COMPILER_LIBRARIES, "runtime/", "tools/"),
    "runtime": (*COMPILER_LIBRARIES, "tools/"),
    "runtime/core": ("schedules/", *runtime_but("core")),
    "runtime/plan": runtime_but("core", "plan"),
    "runtime/flight": runtime_but("core", "plan", "flight", "job"),  # job for descriptors
    "runtime/job": ("runtime/api/", "runtime/flight/", "runtime/host/", "runtime/cuda/"),
    "runtime/host": ("runtime/api/", "runtime/cuda/"),
    "runtime/cuda": ("runtime/api/", "runtime/host/"),
    "runtime/network": runtime_but("network"),  # it only needs the interface
    "runtime/bindings": ("schedules/", *runtime_but(), *(f"runtime/{name}" for name in RUNTIME_FILES)),  # blink.h alone
    "runtime/examples": ("schedules/", *runtime_but(), *(f"runtime/{name}" for name in RUNTIME_FILES)),
    "dialect": ("compiler/", "runtime/", "schedules/", "tools/", "glpk", "nlohmann/"),
    "compiler/support": (*MLIR, "glpk", "schedules/", *but("support")),
    "compiler/topology": (*MLIR, "glpk", *but("support", "topology")),
    "compiler/machines": (*MLIR, "glpk", "nlohmann/", *but("support", "topology", "machines")),
    "compiler/probe": (*MLIR, "glpk", "nlohmann/", "cuda", *but("support", "topology", "import", "probe")),  # drivers are loaded, not linked
    "compiler/generate": (*MLIR, "glpk", *but("support", "topology", "generate")),
    "compiler/import": (*MLIR, "glpk", "nlohmann/", *but("support", "topology", "import")),
    "compiler/export": (*MLIR, "glpk", "nlohmann/", *but("support", "topology", "import", "export")),
    "compiler/packing": (*MLIR, "nlohmann/", *but("support", "topology", "packing")),
    "compiler/plan": (*MLIR, "glpk", "nlohmann/", "schedules/ScheduleFile", *but("support", "topology", "packing", "plan")),
    "compiler/simulate": (*MLIR, "glpk", "nlohmann/", "schedules/ScheduleFile", *but("support", "plan", "simulate")),
    "compiler/verify": (*MLIR, "llvm/", "glpk", *but("verify")),
    "compiler/passes": ("glpk", "nlohmann/", *but("support", "topology", "packing", "plan", "simulate", "target", "verify", "passes")),
    "compiler/target": ("glpk", "nlohmann/", *but("support", "topology", "packing", "plan", "target")),
    "compiler/report": ("nlohmann/", *but("support", "topology", "machines", "packing", "plan", "simulate", "target", "verify", "report")),
    "compiler/driver": ("nlohmann/", "compiler/report/", "compiler/check/", "compiler/render/"),
    "compiler/check": ("glpk", "compiler/render/"),
    "compiler": ("runtime/", "tools/"),
    "test/cudart": (*COMPILER_LIBRARIES, "runtime/", "schedules/", "tools/"),  # only CUDA's headers
    "test/cudadriver": (*COMPILER_LIBRARIES, "cuda", "runtime/", "schedules/", "tools/"),  # only its own headers
    "test/nccl-programs": (*COMPILER_LIBRARIES, "runtime/", "schedules/", "tools/"),  # and NCCL's headers
    "test/transport": (*COMPILER_LIBRARIES, "tools/", *runtime_but()),  # it only needs the interface
    "tools/blinkc": ("nlohmann/", "glpk", "dialect/"),
    "tools/manual": ("llvm/", "glpk", "compiler/", "runtime/", "schedules/", *MLIR),
    "tools/ranks": COMPILER_LIBRARIES,
    "tools/replay": ("llvm/", "compiler/", *MLIR),
    "tools/blink-perf": ("llvm/", "glpk", "compiler/", *MLIR),
    "tools/blink-top": ("llvm/", "glpk", "compiler/", *MLIR),
    "tools/gpu-check.d": COMPILER_LIBRARIES,
}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    wrong = checked = 0
    for folder, prefixes in FORBIDDEN.items():
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".cu", ".c"):
                continue
            checked += 1
            for included in INCLUDE.findall(path.read_text()):
                if included.startswith(prefixes):
                    print(f"{path}: error: {folder}/ must not include {included}")
                    wrong += 1
    if checked == 0:
        print(f"{root}: error: no source file found; wrong folder?")
        return 2
    print(f"{checked} files checked, {wrong} includes out of place")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
