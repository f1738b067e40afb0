"""Nothing is left of objects that are gone."""

import gc
import os
import threading
import time
import weakref

import numpy
import pytest

import blink


def held():
    """Open files, threads, and mappings of this process."""
    with open("/proc/self/maps") as maps:
        mappings = sum(1 for _ in maps)
    return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task")), mappings


def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def make_and_use(schedule, explicitly):
    comms = blink.Communicator.all(schedule, 2)
    arrays = [numpy.ones(64) for _ in comms]
    with blink.group():
        for comm in comms:
            comm.all_reduce(arrays[comm.rank])
    with pytest.raises(blink.InvalidArgument):
        comms[0].all_reduce(arrays[0], op="none")
    if explicitly:
        for comm in comms:
            comm.close()


def test_a_thousand_communicators(schedule):
    for turn in range(100):
        make_and_use(schedule, turn % 2)
    gc.collect()
    before, memory = held(), resident()
    for turn in range(1000):
        make_and_use(schedule, turn % 2)
    gc.collect()
    after = held()
    assert after[:2] == before[:2] and after[2] <= before[2] + 20
    assert resident() < memory + (8 << 20)


def test_a_hundred_that_join_by_id(schedule):
    def once():
        id = blink.unique_id()
        comms = [None, None]

        def join(rank):
            comms[rank] = blink.Communicator(schedule, 2, rank, id, timeout=20)

        other = threading.Thread(target=join, args=(1,))
        other.start()
        join(0)
        other.join()
        with blink.group():
            for comm in comms:
                comm.all_reduce(bytearray(4))

    for _ in range(10):
        once()
    before = held()
    for _ in range(100):
        once()
    # The threads that answer for an id end soon after the last rank has joined.
    deadline = time.monotonic() + 20
    while held()[:2] > before[:2] and time.monotonic() < deadline:
        os.sched_yield()
    assert held()[:2] <= before[:2]


def test_communicators_outlive_their_schedule(schedule_path):
    comms = blink.Communicator.all(blink.Schedule(schedule_path), 2)
    gc.collect()
    with blink.group():
        for comm in comms:
            comm.all_reduce(bytearray(4))


def test_buffers_are_let_go(comms):
    class Array(numpy.ndarray):
        pass

    def watch():
        array = numpy.zeros(8).view(Array)
        return array, weakref.ref(array)

    arrays, watches = zip(*(watch() for _ in comms))
    with blink.group():
        for comm in comms:
            comm.all_reduce(arrays[comm.rank])
    with pytest.raises(ZeroDivisionError):
        with blink.group():
            comms[0].all_reduce(arrays[0])
            1 / 0
    with pytest.raises(ValueError):
        comms[0].all_reduce(arrays[0], numpy.zeros(3))
    with comms[1].register(arrays[1]):
        pass
    with comms[2].register(arrays[2]):
        del arrays
        gc.collect()
        assert [watch() is not None for watch in watches] == [False, False, True, False]
    gc.collect()
    assert watches[2]() is None


def test_allocate():
    memory = blink.allocate(1000)
    assert isinstance(memory, memoryview) and memory.nbytes == 1000 and not memory.readonly and not any(memory)
    array = numpy.frombuffer(memory, numpy.int32)
    del memory
    gc.collect()
    array[:] = 5
    assert array.sum() == 1250
    with pytest.raises(blink.InvalidArgument):
        blink.allocate(0)
    with pytest.raises(blink.SystemFailure):
        blink.allocate(1 << 62)
    before = held()
    for _ in range(100):
        blink.allocate(1 << 16)
    assert held() == before
