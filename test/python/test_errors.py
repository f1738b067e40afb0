"""Every mistake is an exception of the right kind, with a sentence, on every rank; nothing crashes or hangs."""

import numpy
import pytest

import blink


def test_kinds_of_errors():
    for kind, code in [(blink.CudaError, 1), (blink.SystemFailure, 2), (blink.InternalError, 3),
                       (blink.InvalidArgument, 4), (blink.InvalidUsage, 5), (blink.RemoteError, 6)]:
        error = blink.errors.of_code(code, "a sentence")
        assert type(error) is kind and error.code == code and str(error) == "a sentence"
        assert isinstance(error, blink.Error)
    assert isinstance(blink.errors.of_code(99, ""), blink.Error)
    assert issubclass(blink.InvalidArgument, ValueError) and issubclass(blink.SystemFailure, OSError)


def test_schedules(tmp_path, schedule_path):
    with pytest.raises(blink.SystemFailure, match="no-such"):
        blink.Schedule(tmp_path / "no-such.sched")
    with pytest.raises(OSError):
        blink.Schedule(str(tmp_path / "no-such.sched"))
    for damaged in (b"", b"\0" * 100, schedule_path.read_bytes()[:-1]):
        with pytest.raises(blink.InvalidArgument):
            blink.Schedule(damaged)
    with pytest.raises(TypeError):
        blink.Schedule(7)
    with pytest.raises(ValueError):
        blink.Schedule("a\0b")
    with pytest.raises(blink.SystemFailure):
        blink.Schedule(schedule_path, tmp_path / "no-such.sched")


def test_a_schedule_from_memory_and_from_paths(schedule_path):
    for schedule in (blink.Schedule(schedule_path.read_bytes()), blink.Schedule(str(schedule_path)),
                     blink.Schedule(schedule_path, schedule_path)):
        schedule.add(schedule_path)
        assert schedule.ranks == 8
        comm = blink.Communicator.all(schedule)[7]
        assert (comm.rank, comm.size, repr(comm)) == (7, 8, "<blink.Communicator: rank 7 of 8>")
        schedule.close()
        schedule.close()
        for use in (lambda: schedule.ranks, lambda: schedule.add(schedule_path),
                    lambda: blink.Communicator.all(schedule, 2)):
            with pytest.raises(blink.InvalidUsage, match="schedule is closed"):
                use()


@pytest.mark.parametrize("settings, sentence", [
    ({"nranks": 9}, "rank 8"),
    ({"nranks": 0}, "nranks is 0: expected 1 to"),
    ({"nranks": -1}, "nranks is -1"),
    ({"nranks": 1_000_000_000}, "nranks is 1000000000"),
    ({"timeout": 0}, "timeout is 0: expected seconds"),
    ({"timeout": -1.5}, "timeout is -1.5"),
    ({"timeout": float("nan")}, "timeout is nan"),
    ({"timeout": float("inf")}, "timeout is inf"),
    ({"backend": "rocm"}, "backend is 'rocm': expected 'host' or 'cuda'"),
    ({"gpus": [0, 1]}, "gpus has 2 numbers: expected 4"),
    ({"gpus": [0, 1, 2, 2]}, "2"),
    ({"gpus": [0, 1, 2, 99]}, "99"),
    ({"devices": [0]}, "devices has 1 numbers: expected 4"),
    ({"without_link": "gpu0:nothing"}, "nothing"),
    ({"order": "sorted"}, "order is 'sorted': expected 'none', 'invariant' or 'rank'"),
])
def test_settings(schedule, settings, sentence):
    with pytest.raises((blink.InvalidArgument, blink.InvalidUsage), match=sentence):
        blink.Communicator.all(schedule, **{"nranks": 4, **settings})


def test_order(schedule):
    """The bundle promises none of sums of floating point numbers; integers have one in any order."""
    def sums(dtype):
        arrays = [numpy.ones(3, dtype) for _ in range(4)]
        with blink.group():
            for comm, array in zip(comms, arrays):
                comm.all_reduce(array)
        assert all((array == 4).all() for array in arrays)

    comms = blink.Communicator.all(schedule, 4, order="none")
    sums("float32")
    comms = blink.Communicator.all(schedule, 4, order="rank")
    sums("int32")
    with pytest.raises(blink.InvalidUsage, match="the communicator asks for rank: compile with blinkc compile --order"):
        sums("float32")


def test_unique_id_and_rank(schedule):
    id = blink.unique_id()
    assert isinstance(id, bytes) and len(id) == 128 and id != blink.unique_id()
    with pytest.raises(blink.InvalidArgument, match="id has 3 bytes: expected the 128"):
        blink.Communicator(schedule, 2, 0, b"abc")
    with pytest.raises(blink.InvalidArgument):
        blink.Communicator(schedule, 2, 0, bytes(128))
    with pytest.raises(blink.InvalidArgument, match="rank 2 of 2"):
        blink.Communicator(schedule, 2, 2, id)
    with pytest.raises(blink.RemoteError, match="rank 1"):
        blink.Communicator(schedule, 2, 0, id, timeout=0.05)


@pytest.mark.parametrize("call, sentence", [
    (lambda c: c.all_reduce(numpy.zeros(4), numpy.zeros(5)), "all_reduce: recv has 5 elements: expected 4, since send"),
    (lambda c: c.all_gather(numpy.zeros(4), numpy.zeros(15)), "all_gather: recv has 120 bytes: expected a multiple of 32"),
    (lambda c: c.all_gather(numpy.zeros(4), numpy.zeros(20)), "recv has 20 elements: expected 16, since send has 4 and"),
    (lambda c: c.all_gather(numpy.zeros(6)), "all_gather: send has 48 bytes: expected a multiple of 32"),
    (lambda c: c.reduce_scatter(numpy.zeros(8), numpy.zeros(8)), "recv has 8 elements: expected 2, since send has 8"),
    (lambda c: c.gather(numpy.zeros(2), numpy.zeros(4)), "recv has 4 elements: expected 8, since send has 2"),
    (lambda c: c.scatter(numpy.zeros(8), numpy.zeros(3)), "recv has 3 elements: expected 2, since send has 8"),
    (lambda c: c.all_to_all(numpy.zeros(7), numpy.zeros(7)), "send has 56 bytes: expected a multiple of 32"),
    (lambda c: c.all_reduce(bytearray(7), dtype="int32"), "send has 7 bytes: expected a multiple of 4, an element of int32"),
    (lambda c: c.all_reduce(numpy.zeros(4), numpy.zeros(4, "f4")), "recv is of float32: expected float64, as send is"),
    (lambda c: c.broadcast(None, numpy.zeros(4)), "broadcast: send is None"),
    (lambda c: c.broadcast(None, root=1), "broadcast: send is None"),
    (lambda c: c.scatter(None, root=1), "scatter: recv is missing"),
    (lambda c: c.reduce(numpy.zeros(4), op="median"), "op is 'median': expected one of sum, prod, max, min, avg"),
    (lambda c: c.reduce(numpy.zeros(4), root=4), "root 4 of 4 ranks"),
    (lambda c: c.broadcast(numpy.zeros(4), root=-1), "root -1 of 4 ranks"),
])
def test_arguments(comms, call, sentence):
    with pytest.raises(ValueError) as caught:
        call(comms[0])
    assert isinstance(caught.value, blink.InvalidArgument) and sentence in str(caught.value)


def test_there_is_no_all_to_all_in_place(comms):
    with pytest.raises(TypeError):
        comms[0].all_to_all(numpy.zeros(8))


def test_overlap(comms):
    whole = numpy.zeros(20)
    for call in (lambda c: c.all_reduce(whole[:8], whole[4:12]), lambda c: c.all_gather(whole[2:4], whole[:8]),
                 lambda c: c.reduce_scatter(whole[:8], whole[2:4]), lambda c: c.all_to_all(whole[:8], whole[:8])):
        with pytest.raises(ValueError, match="send and recv overlap"):
            call(comms[0])


def test_calls_that_differ_are_refused_on_every_rank(schedule):
    """Out of a group: the exception comes on all ranks; in one: nothing is run, and the communicators stay good."""
    def job(comm):
        with pytest.raises((blink.InvalidUsage, blink.RemoteError)) as caught:
            comm.all_reduce(numpy.zeros(9 + comm.rank // 3), op="max")
        assert comm.async_error is not None
        return caught.value

    errors = blink.testing.run(4, job, schedule, timeout=20)
    assert any(isinstance(error, blink.InvalidUsage) and "the ranks' calls differ" in str(error) for error in errors)

    comms = blink.Communicator.all(schedule, 4)
    arrays = [numpy.ones(9 + rank // 3) for rank in range(4)]
    with pytest.raises(blink.InvalidUsage, match="rank 3 has allreduce of 10 float64 with sum"):
        with blink.group():
            for comm in comms:
                comm.all_reduce(arrays[comm.rank])
    assert all((array == 1).all() for array in arrays)
    with blink.group():
        for comm in comms:
            comm.all_reduce(arrays[comm.rank][:9])
    assert all((array[:9] == 4).all() for array in arrays)


def test_a_rank_that_does_not_come(schedule):
    comms = blink.Communicator.all(schedule, 3, timeout=0.1)
    assert comms[0].async_error is None
    with pytest.raises(blink.RemoteError, match="rank"):
        comms[0].all_reduce(numpy.zeros(4))
    assert isinstance(comms[0].async_error, blink.RemoteError) and "rank" in str(comms[0].async_error)
    with pytest.raises(blink.RemoteError):
        comms[1].all_reduce(numpy.zeros(4))


def test_closed(schedule):
    comms = blink.Communicator.all(schedule, 2)
    for comm, end in zip(comms, ("close", "abort")):
        getattr(comm, end)()
        comm.close()
        comm.abort()
        for use in (lambda: comm.all_reduce(bytearray(4)), lambda: comm.async_error, lambda: comm.shrink([]),
                    lambda: comm.register(bytearray(4))):
            with pytest.raises(blink.InvalidUsage, match="communicator is closed"):
                use()


def test_closed_within_a_group(schedule):
    comms = blink.Communicator.all(schedule, 2)
    arrays = [numpy.ones(4) for _ in comms]
    with pytest.raises(blink.InvalidUsage, match="closed"):
        with blink.group():
            for comm in comms:
                comm.all_reduce(arrays[comm.rank])
            comms[1].close()
    assert (arrays[0] == 1).all()


def test_an_exception_drops_the_calls_of_a_group(comms):
    arrays = [numpy.ones(4) for _ in comms]
    with pytest.raises(ZeroDivisionError):
        with blink.group():
            comms[0].all_reduce(arrays[0])
            1 / 0
    with blink.group():
        with pytest.raises(ZeroDivisionError):
            with blink.group():
                comms[0].all_reduce(arrays[0])
                1 / 0
        for comm in comms:
            comm.all_reduce(arrays[comm.rank])
    assert all((array == 4).all() for array in arrays)
    with pytest.raises(blink.InvalidUsage, match="a group ends"):
        blink._core.end_group(True)


def test_with_closes_or_aborts(schedule):
    comms = blink.Communicator.all(schedule, 2)
    with comms[0] as comm:
        assert comm.size == 2
    with pytest.raises(KeyError):
        with comms[1]:
            raise KeyError
    for comm in comms:
        with pytest.raises(blink.InvalidUsage):
            comm.all_reduce(bytearray(4))


def test_shrink(schedule):
    comms = blink.Communicator.all(schedule, 4)
    for exclude, sentence in (([4], "4"), ([0], "caller|itself|0"), ([1, 1], "1")):
        with pytest.raises(blink.Error, match=sentence):
            comms[0].shrink(exclude)
    with blink.group():
        rest = [comm.shrink([1]) for comm in comms if comm.rank != 1]
        with pytest.raises(blink.InvalidUsage, match="closed"):
            rest[0].async_error
    assert [(comm.rank, comm.size) for comm in rest] == [(0, 3), (1, 3), (2, 3)]
    arrays = [numpy.ones(5) for _ in rest]
    with blink.group():
        for comm in rest:
            comm.all_reduce(arrays[comm.rank])
    assert all((array == 3).all() for array in arrays)
    with pytest.raises(blink.RemoteError):
        comms[0].all_reduce(bytearray(4))


def test_shrink_after_a_failure(schedule):
    def job(comm):
        if comm.rank == 2:
            comm.abort()
            return None
        array = numpy.ones(5)
        with pytest.raises(blink.RemoteError):
            while True:
                comm.all_reduce(array)
        array[:] = 1
        with comm.shrink(exclude=[2], timeout=20) as rest:
            rest.all_reduce(array)
        return array[0]

    assert blink.testing.run(4, job, schedule, timeout=20) == [3, 3, None, 3]
