"""blink.estimate(): how long calls take by the estimates of blinkc."""

import json
import os
import subprocess

import numpy
import pytest

import blink
from conftest import group


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Of three variants, on a machine where trees are shared unevenly."""
    path = tmp_path_factory.mktemp("estimate") / "dgx1.sched"
    topologies = os.path.join(os.path.dirname(__file__), "../../topologies")
    subprocess.run([os.environ["BLINKC"], "compile", f"{topologies}/dgx1.topo", "-g", "0,1,2,3,6", "-o", path], check=True,
                   stdout=subprocess.DEVNULL)
    return path


def modelled(path, nbytes):
    out = subprocess.run([os.environ["BLINKC"], "simulate", path, "-b", str(nbytes), "--json"], check=True, capture_output=True)
    return json.loads(out.stdout)


def estimated(comm, nbytes):
    buffer = numpy.ones(nbytes, numpy.uint8)
    with blink.estimate() as estimate:
        comm.all_reduce(buffer)
    assert (buffer == 1).all()
    return estimate.microseconds


def test_is_what_the_compiler_says(path):
    with blink.Schedule(path) as schedule:
        comms = blink.Communicator.all(schedule, 5)
    before, protocols = 0, set()
    for nbytes in (1, 1 << 10, 100_000, 1 << 17, 1 << 18, 300_000, 1 << 20, 1 << 23, 100_000_000, 1 << 28):
        model = modelled(path, nbytes)
        times = [estimated(comm, nbytes) for comm in comms]
        # Without chunks it is a line, which two points say exactly.
        near = 1e-6 if model["protocol"] == "low_latency" else 0.02
        assert times[0] == pytest.approx(model["model_us"], rel=near), nbytes
        assert times == [times[0]] * 5 and times[0] > before
        before = times[0]
        protocols.add(model["protocol"])
    assert protocols == {"low_latency", "simple"}
    arrays = [numpy.ones(10) for _ in comms]
    group(comms, lambda comm: comm.all_reduce(arrays[comm.rank]))
    assert all((array == 5).all() for array in arrays)


def test_runs_nothing(comms):
    arrays = [numpy.ones(1000) for _ in comms]
    with blink.estimate() as one:
        comms[0].all_reduce(arrays[0])
    with blink.estimate() as estimate:
        for comm in comms:
            with blink.group():
                comm.all_reduce(arrays[comm.rank])
                comm.broadcast(arrays[comm.rank])
    assert estimate.microseconds > one.microseconds > 0
    assert all((array == 1).all() for array in arrays)
    with blink.estimate() as nothing:
        pass
    assert nothing.microseconds == 0
    group(comms, lambda comm: comm.all_reduce(arrays[comm.rank]))
    assert all((array == 4).all() for array in arrays)


def test_errors(comms):
    array = numpy.ones(4)
    with pytest.raises(blink.InvalidArgument):
        with blink.estimate():
            comms[0].broadcast(array, root=9)
    with pytest.raises(KeyError):
        with blink.estimate() as estimate:
            comms[0].all_reduce(array)
            raise KeyError
    assert numpy.isnan(estimate.microseconds)
    with pytest.raises(blink.InvalidUsage, match="within a group"):
        with blink.group():
            with blink.estimate():
                pass
    with pytest.raises(blink.InvalidUsage, match="without making communicators"):
        with blink.estimate():
            comms[0].shrink(exclude=[1])
    group(comms, lambda comm: comm.all_reduce(array if comm.rank == 0 else numpy.ones(4)))
    assert (array == 4).all()
