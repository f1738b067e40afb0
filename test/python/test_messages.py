# Point to point: messages between two ranks, alone and in groups.
import blink
import blink.testing
import numpy
import pytest


def test_neighbours_in_a_group(comms):
    n = len(comms)
    received = [numpy.zeros(100) for _ in comms]
    with blink.group():
        for comm in comms:
            comm.send(numpy.full(100, float(comm.rank)), peer=(comm.rank + 1) % n)
            comm.recv(received[comm.rank], peer=(comm.rank + n - 1) % n)
    assert [array[0] for array in received] == [(rank + n - 1) % n for rank in range(n)]


def test_uneven_exchange_and_messages_to_oneself(comms):
    n = len(comms)
    sent = [[numpy.full(10 * to + comm.rank, 100 * comm.rank + to, numpy.int32) for to in range(n)] for comm in comms]
    received = [[numpy.zeros(10 * comm.rank + source, numpy.int32) for source in range(n)] for comm in comms]
    with blink.group():
        for comm in comms:
            for peer in range(n):
                comm.send(sent[comm.rank][peer], peer)
                comm.recv(received[comm.rank][peer], peer)
    for rank in range(n):
        for source in range(n):
            assert (received[rank][source] == sent[source][rank]).all()


def test_ping_pong_on_threads(schedule):
    def play(comm):
        ball = numpy.zeros(1, numpy.int64)
        for _ in range(100):
            if comm.rank == 0:
                ball += 1
                comm.send(ball, peer=1)
                comm.recv(ball, peer=1)
            else:
                comm.recv(ball, peer=0)
                ball += 1
                comm.send(ball, peer=0)
        return int(ball[0])

    assert blink.testing.run(2, play, schedule) == [200, 200]


def test_what_is_refused(comms):
    with pytest.raises(blink.InvalidArgument, match="peer 4 of 4 ranks"):
        comms[0].send(numpy.zeros(1), peer=4)
    with pytest.raises(blink.InvalidUsage, match="itself"):
        comms[0].send(numpy.zeros(1), peer=0)
    with pytest.raises(ValueError, match="read-only|written|write"):
        comms[0].recv(b"bytes", peer=1)


def test_bits(comms):
    masks = [numpy.array([1 << comm.rank, 0xff], numpy.uint8) for comm in comms]
    results = {}
    for op in ("band", "bor", "bxor"):
        arrays = [mask.copy() for mask in masks]
        with blink.group():
            for comm in comms:
                comm.all_reduce(arrays[comm.rank], op=op)
        results[op] = [array.tolist() for array in arrays]
    assert results == {"band": [[0, 255]] * 4, "bor": [[15, 255]] * 4, "bxor": [[15, 0]] * 4}
    with pytest.raises(blink.InvalidArgument):
        comms[0].all_reduce(numpy.zeros(4), op="band")
