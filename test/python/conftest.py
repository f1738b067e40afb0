"""What the tests share: a bundle for 2 to 8 ranks, and jobs of threads."""

import os
import subprocess

import numpy
import pytest

import blink

TYPES = [numpy.int8, numpy.uint8, numpy.int32, numpy.uint32, numpy.int64, numpy.uint64, numpy.float16, numpy.float32,
         numpy.float64]


@pytest.fixture(scope="session")
def schedule_path(tmp_path_factory):
    """A machine of eight GPUs, each joined to each: all collectives for 2 to 8 of them, from every root."""
    folder = tmp_path_factory.mktemp("schedules")
    blinkc = os.environ["BLINKC"]
    subprocess.run([blinkc, "topo", "fully-connected", "8", "--bandwidth", "10", "-o", folder / "machine.topo"], check=True)
    subprocess.run([blinkc, "compile", folder / "machine.topo", "--allocations", "2-8",
                    "--collectives", "all,sendrecv", "-o", folder / "machine.sched"],
                   check=True, stdout=subprocess.DEVNULL)
    return folder / "machine.sched"


@pytest.fixture(scope="session")
def schedule(schedule_path):
    with blink.Schedule(schedule_path) as schedule:
        yield schedule


@pytest.fixture
def comms(schedule, request):
    """Communicators of all ranks: as many as the test's parameter says, or four."""
    comms = blink.Communicator.all(schedule, getattr(request, "param", 4), timeout=20)
    yield comms
    for comm in comms:
        comm.close()


def inputs(ranks, count, dtype, seed=0):
    """An array a rank, of small numbers: their sums and products are exact in every type."""
    random = numpy.random.default_rng([seed, ranks, count])
    return [random.integers(1, 3, count).astype(dtype) for _ in range(ranks)]


def group(comms, call):
    """call(comm) for every rank, by one thread."""
    with blink.group():
        for comm in comms:
            call(comm)
