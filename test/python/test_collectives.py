"""All collectives against NumPy: types, operators, odd sizes, roots, in place and not, alone and in groups."""

import numpy
import pytest
from conftest import TYPES, group, inputs

import blink

RANKS = range(2, 9)
COUNTS = [0, 1, 3, 17, 1021]
OPERATORS = {
    "sum": lambda arrays: sum(arrays[1:], arrays[0]),
    "prod": lambda arrays: numpy.prod(arrays, axis=0, dtype=arrays[0].dtype),
    "max": lambda arrays: numpy.max(arrays, axis=0),
    "min": lambda arrays: numpy.min(arrays, axis=0),
    "avg": lambda arrays: (numpy.sum(arrays, axis=0, dtype=numpy.float64) / len(arrays)).astype(arrays[0].dtype),
}

each_number_of_ranks = pytest.mark.parametrize("comms", RANKS, indirect=True)


def empty(like, count):
    """So many elements, and one more on either side that must stay as it is."""
    around = numpy.full(count + 2, 77, like.dtype)
    return around, around[1:-1]


def untouched(arounds):
    return all(around[0] == 77 and around[-1] == 77 for around in arounds)


def check(comms, results, expected):
    """results[rank] is expected[rank], a result of every rank or of some."""
    arounds, outputs = results
    for comm in comms:
        if expected[comm.rank] is not None:
            numpy.testing.assert_array_equal(outputs[comm.rank], expected[comm.rank])
    assert untouched(arounds)


def outputs(comms, like, count):
    return list(zip(*(empty(like, count) for _ in comms)))


@each_number_of_ranks
@pytest.mark.parametrize("dtype", TYPES)
def test_all_reduce(comms, dtype):
    for count in COUNTS:
        send = inputs(len(comms), count, dtype)
        for op, reduced in OPERATORS.items():
            recv = outputs(comms, send[0], count)
            group(comms, lambda c: c.all_reduce(send[c.rank], recv[1][c.rank], op))
            check(comms, recv, [reduced(send)] * len(comms))
        group(comms, lambda c: c.all_reduce(send[c.rank]))
        assert all((array == send[0]).all() for array in send)


@each_number_of_ranks
def test_rooted(comms):
    n = len(comms)
    for count in COUNTS:
        for root in range(n):
            send = inputs(n, count, numpy.float32, seed=root)
            whole = inputs(1, n * count, numpy.int32, seed=root)[0]
            total = OPERATORS["sum"](send)

            recv = outputs(comms, send[0], count)
            group(comms, lambda c: c.broadcast(send[root] if c.rank == root else None, recv[1][c.rank], root))
            check(comms, recv, [send[root]] * n)

            recv = outputs(comms, send[0], count)
            group(comms, lambda c: c.reduce(send[c.rank], recv[1][c.rank] if c.rank == root else None, root=root))
            check(comms, recv, [total if rank == root else None for rank in range(n)])

            recv = outputs(comms, send[0], n * count)
            group(comms, lambda c: c.gather(send[c.rank], recv[1][c.rank] if c.rank == root else None, root))
            check(comms, recv, [numpy.concatenate(send) if rank == root else None for rank in range(n)])

            recv = outputs(comms, whole, count)
            group(comms, lambda c: c.scatter(whole if c.rank == root else None, recv[1][c.rank], root))
            check(comms, recv, list(whole.reshape(n, count)))


@each_number_of_ranks
def test_rooted_in_place(comms):
    n, count, root = len(comms), 17, len(comms) - 1
    send = inputs(n, count, numpy.float64)
    total, first = OPERATORS["sum"](send), send[root].copy()

    arrays = [array.copy() for array in send]
    group(comms, lambda c: c.broadcast(arrays[c.rank], root=root))
    assert all((array == first).all() for array in arrays)

    arrays = [array.copy() for array in send]
    group(comms, lambda c: c.reduce(arrays[c.rank], root=root))
    assert (arrays[root] == total).all() and (arrays[0] == send[0]).all()

    whole = numpy.zeros(n * count)
    whole[root * count:] = send[root]
    group(comms, lambda c: c.gather(whole if c.rank == root else send[c.rank], root=root))
    assert (whole == numpy.concatenate(send)).all()

    parts = [numpy.zeros(count) for _ in comms]
    group(comms, lambda c: c.scatter(whole, root=root) if c.rank == root else c.scatter(None, parts[c.rank], root))
    assert all((parts[rank] == send[rank]).all() for rank in range(n) if rank != root)
    assert (whole[root * count:] == send[root]).all()


@each_number_of_ranks
@pytest.mark.parametrize("dtype", [numpy.uint8, numpy.float16, numpy.int64])
def test_all_gather_reduce_scatter_all_to_all(comms, dtype):
    n = len(comms)
    for count in COUNTS:
        parts = inputs(n, count, dtype)
        wholes = inputs(n, n * count, dtype)
        total = OPERATORS["sum"](wholes).reshape(n, count)

        recv = outputs(comms, parts[0], n * count)
        group(comms, lambda c: c.all_gather(parts[c.rank], recv[1][c.rank]))
        check(comms, recv, [numpy.concatenate(parts)] * n)

        recv = outputs(comms, wholes[0], count)
        group(comms, lambda c: c.reduce_scatter(wholes[c.rank], recv[1][c.rank]))
        check(comms, recv, list(total))

        recv = outputs(comms, wholes[0], n * count)
        group(comms, lambda c: c.all_to_all(wholes[c.rank], recv[1][c.rank]))
        blocks = numpy.stack(wholes).reshape(n, n, count)
        check(comms, recv, [blocks[:, rank].reshape(-1) for rank in range(n)])

        gathered = [numpy.zeros(n * count, dtype) for _ in comms]
        for rank in range(n):
            gathered[rank][rank * count:(rank + 1) * count] = parts[rank]
        group(comms, lambda c: c.all_gather(gathered[c.rank]))
        assert all((array == numpy.concatenate(parts)).all() for array in gathered)

        group(comms, lambda c: c.reduce_scatter(wholes[c.rank]))
        for rank in range(n):
            assert (wholes[rank].reshape(n, count)[rank] == total[rank]).all()


def test_in_place_by_slices(comms):
    """Buffers that are in place as blink.h means it."""
    wholes = [numpy.zeros(12) for _ in comms]
    parts = [whole[3 * rank:3 * rank + 3] for rank, whole in enumerate(wholes)]
    for rank, part in enumerate(parts):
        part[:] = rank
    group(comms, lambda c: c.all_gather(parts[c.rank], wholes[c.rank]))
    assert all((whole == numpy.repeat(range(4), 3)).all() for whole in wholes)
    group(comms, lambda c: c.reduce_scatter(wholes[c.rank], parts[c.rank]))
    assert all((parts[rank] == 4 * rank).all() for rank in range(4))
    group(comms, lambda c: c.all_reduce(wholes[c.rank], wholes[c.rank]))


def test_large(comms):
    count = (1 << 20) + 3
    send = inputs(4, count, numpy.float32)
    total = OPERATORS["sum"](send)
    group(comms, lambda c: c.all_reduce(send[c.rank]))
    assert all((array == total).all() for array in send)


def test_calls_of_a_group_keep_their_order(comms):
    arrays = [numpy.full(5, rank + 1.0) for rank in range(4)]
    with blink.group():
        for comm in comms:
            comm.all_reduce(arrays[comm.rank])
            with blink.group():
                comm.all_reduce(arrays[comm.rank], op="max")
            comm.all_reduce(arrays[comm.rank])
    assert all((array == 40).all() for array in arrays)


def test_a_thread_each(schedule):
    def job(comm):
        array = numpy.full(1000, comm.rank + 1, numpy.int32)
        for _ in range(20):
            comm.all_reduce(array, op="max")
        comm.all_reduce(array)
        return array

    assert all((array == 25).all() for array in blink.testing.run(5, job, schedule))
