"""Tensors of GPUs, on emulated ones: PyTorch as it is, on a libcudart of CUDA's own ABI (test/emulation).

BLINK_TORCH_EMULATION is the folder of the emulation's libraries, which tools/test-torch.sh builds where CUDA 13's
toolkit is there: build/test-torch/gpus/test/emulation/lib.
"""

import ast
import json
import os
import pathlib
import socket
import subprocess
import sys

import pytest

RANKS = 4
CHECKS = pathlib.Path(__file__).with_name("gpu_checks.py")
LIBRARIES = os.environ.get("BLINK_TORCH_EMULATION")

pytestmark = [pytest.mark.only_blink("emulated GPUs"),
              pytest.mark.skipif(not LIBRARIES, reason="BLINK_TORCH_EMULATION is not set: no emulated GPUs")]


def names():
    """Of the checks, from the text: this process does not have the emulation."""
    for node in ast.parse(CHECKS.read_text()).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List):
            return [element.id for element in node.value.elts]


@pytest.fixture(scope="module")
def outcomes():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    libraries = pathlib.Path(LIBRARIES)
    environment = {
        **os.environ, "WORLD_SIZE": str(RANKS), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
        "PYTHONPATH": str(libraries / "python"), "BLINK_EMULATED_DEVICES": str(RANKS),
        "BLINK_SCHEDULES": str(libraries / "python/blink_torch/shared-memory-16.sched"),
        "LD_LIBRARY_PATH": f"{libraries}/torch:{libraries}",
        "LD_PRELOAD": f"{libraries}/libcudart.so.13 {libraries}/torch/libcuda.so.1"}
    ranks = [subprocess.Popen([sys.executable, "-c", "import blink_torch, runpy, sys; runpy.run_path(sys.argv[1], "
                               "run_name='__main__')", CHECKS], env={**environment, "RANK": str(rank)},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for rank in range(RANKS)]
    found = []
    try:
        for rank in ranks:
            said, complained = rank.communicate(timeout=300)
            assert rank.returncode == 0, complained
            found.append(json.loads(said))
    finally:
        for rank in ranks:
            rank.kill()
    return found


@pytest.mark.parametrize("name", names())
def test_gpus(outcomes, name):
    for rank, outcome in enumerate(outcomes):
        assert outcome[name] == "", f"rank {rank}: {outcome[name]}"
