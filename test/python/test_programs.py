"""blink.perf, the example, what docs/python.md shows, and the types that checkers of types read."""

import os
import pathlib
import re
import subprocess
import sys

import numpy
import pytest

import blink

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command, folder=None, status=0):
    done = subprocess.run([sys.executable, *map(str, command)], cwd=folder, capture_output=True, text=True, timeout=100)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("collective, ranks", [("all_reduce", 3), ("all_to_all", 2), ("gather", 2)])
def test_perf(schedule_path, collective, ranks):
    printed = run("-m", "blink.perf", schedule_path, "--ranks", ranks, "--collective", collective, "-b", 0, "-e", "4K",
                  "-f", 64, "-n", 3, "-w", 1)
    rows = [line.split() for line in printed.splitlines()[3:]]
    sizes = [0, 1 // 4, 64 // 4, 4096 // 4]
    blocks = 1 if collective == "all_reduce" else ranks
    assert [int(row[1]) for row in rows] == [count // blocks for count in sizes]
    assert all(row[2] == "float32" and float(row[3]) > 0 and row[6] == "0" for row in rows)


def test_perf_says_what_is_wrong(schedule_path, tmp_path):
    assert "no-such" in run("-m", "blink.perf", tmp_path / "no-such.sched", status=2)
    assert "rank 8" in run("-m", "blink.perf", schedule_path, "--ranks", 9, "--bytes", 8, status=1)
    assert "--stepfactor" in run("-m", "blink.perf", schedule_path, "-f", 1, status=2)


def test_example(schedule_path, tmp_path):
    blinkc = os.environ["BLINKC"]
    commands = re.findall(r"^    blinkc (.*)$", (ROOT / "runtime/examples/allreduce.py").read_text(), re.MULTILINE)
    for command in commands:
        subprocess.run([blinkc, *command.split()], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    assert run(ROOT / "runtime/examples/allreduce.py", tmp_path / "allreduce.sched") == (
        "4 processes, 1000003 elements, 0 wrong\n")
    run(ROOT / "runtime/examples/allreduce.py", status=1)


def test_what_the_page_shows(schedule_path, tmp_path):
    """The blocks of Python of docs/python.md, one after the other, as one program of a job of four ranks."""
    page = (ROOT / "docs/python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 4
    (tmp_path / "machine.sched").write_bytes(schedule_path.read_bytes())
    (tmp_path / "page.py").write_text("\n".join(blocks))
    run("-X", "dev", "-W", "error", "page.py", folder=tmp_path)


def test_the_page_names_all_that_is_public():
    page = (ROOT / "docs/python.md").read_text()
    names = [*blink.__all__, *(name for name in dir(blink.Communicator) if not name.startswith("_"))]
    assert [name for name in names if not re.search(rf"\b{name}\b", page)] == []


def test_all_has_docstrings():
    for thing in (blink, *(getattr(blink, name) for name in blink.__all__ if name != "__version__"),
                  *(vars(blink.Communicator)[name] for name in dir(blink.Communicator) if not name.startswith("_"))):
        assert thing.__doc__, thing


def test_stubs():
    package = pathlib.Path(blink.__file__).parent
    stub = (package / "_core.pyi").read_text()
    assert (package / "py.typed").exists()
    for name in dir(blink._core):
        if not name.startswith("_"):
            assert re.search(rf"^(def|class) {name}\b|^{name}: ", stub, re.MULTILINE), name


def test_version():
    project = re.search(r"project\(Blink VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert blink.__version__ == project
    assert numpy.lib.NumpyVersion(project)
