"""A process a rank, which join by a unique id."""

import multiprocessing
import os

import jobs
import numpy
import pytest

import blink


def run(function, path, n, context="spawn", expected=None):
    """What the ranks put into the queue, by rank."""
    processes = multiprocessing.get_context(context)
    results = processes.Queue()
    id = blink.unique_id()
    ranks = [processes.Process(target=function, args=(path, n, rank, id, results)) for rank in range(n)]
    for rank in ranks:
        rank.start()
    found = sorted((results.get(timeout=60) for _ in range(n if expected is None else expected)), key=lambda r: r[0])
    for rank in ranks:
        rank.join(60)
        assert rank.exitcode == 0
    return found


@pytest.mark.parametrize("n, context", [(2, "fork"), (3, "spawn"), (8, "fork")])
def test_collectives(schedule_path, n, context):
    for rank, (number, total, gathered, word, exchanged) in enumerate(run(jobs.all_collectives, schedule_path, n, context)):
        assert number == rank
        assert total == n * 1000 * 1001 / 2 + 1001 * n * (n - 1) / 2
        assert gathered == numpy.repeat(range(n), 5).tolist()
        assert word == b"from1"
        assert exchanged == [rank + 10 * other for other in range(n)]


def test_registered_buffers(schedule_path):
    assert run(jobs.registered, schedule_path, 3, "fork") == [(0, True), (1, True), (2, True)]


def test_a_process_that_dies(schedule_path):
    found = run(jobs.dies, schedule_path, 3, "fork", expected=2)
    assert [rank for rank, _, _ in found] == [0, 2]
    for _, sentence, value in found:
        assert "rank 1" in sentence and "has died" in sentence
        assert value == 2


def test_calls_that_differ(schedule_path):
    found = run(jobs.differs, schedule_path, 3, "fork")
    assert [rank for rank, _, _ in found] == [0, 1, 2]
    assert {kind for _, kind, _ in found} <= {"InvalidUsage", "RemoteError"}
    assert all("the ranks' calls differ" in sentence for _, _, sentence in found)


def test_ranks_that_do_not_fit(schedule_path):
    found = run(jobs.does_not_fit, schedule_path, 3, "fork")
    assert [rank for rank, _, _ in found] == [0, 1, 2]
    assert any(kind == "InvalidUsage" for _, kind, _ in found), found


def test_a_child_does_not_touch_its_parents_communicator(schedule):
    comms = blink.Communicator.all(schedule, 2, timeout=20)
    child = os.fork()
    if child == 0:
        refused = 0
        for use in (lambda: comms[0].all_reduce(bytearray(4)), lambda: comms[0].async_error,
                    lambda: comms[0].register(bytearray(4))):
            try:
                use()
            except blink.InvalidUsage as error:
                refused += "before fork()" in str(error)
        for comm in comms:
            comm.close()
            comm.abort()
        del comm, comms
        os._exit(refused)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
    arrays = [numpy.ones(4), numpy.ones(4)]
    with blink.group():
        for comm in comms:
            comm.all_reduce(arrays[comm.rank])
    assert (arrays[0] == 2).all()
