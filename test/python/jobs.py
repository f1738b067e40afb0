"""What the processes of test_processes.py do: a module of its own, which a spawned process imports."""

import os

import numpy

import blink


def all_collectives(path, n, rank, id, results):
    with blink.Schedule(path) as schedule:
        comm = blink.Communicator(schedule, n, rank, id, timeout=20)
    with comm:
        array = numpy.arange(1001, dtype=numpy.float32) + rank
        comm.all_reduce(array)
        gathered = numpy.zeros(5 * n, numpy.int64)
        comm.all_gather(numpy.full(5, rank), gathered)
        word = bytearray(b"from1" if rank == 1 else b"-----")
        comm.broadcast(word, root=1)
        exchanged = numpy.zeros(n, numpy.int32)
        comm.all_to_all(numpy.arange(n, dtype=numpy.int32) + 10 * rank, exchanged)
        results.put((rank, array.sum(), gathered.tolist(), bytes(word), exchanged.tolist()))


def registered(path, n, rank, id, results):
    comm = blink.Communicator(blink.Schedule(path), n, rank, id, timeout=20)
    memory = blink.allocate(4 << 18)
    array = numpy.frombuffer(memory, numpy.float32)
    good = not array.any()
    with comm.register(array) as registration:
        for _ in range(3):
            array[:] = rank + 1
            comm.all_reduce(array)
            good = good and (array == n * (n + 1) / 2).all()
    registration.close()
    kept = comm.register(numpy.zeros(100))  # of other memory, and left to the communicator's end
    comm.all_reduce(array)
    comm.close()
    kept.close()
    results.put((rank, good))


def dies(path, n, rank, id, results):
    comm = blink.Communicator(blink.Schedule(path), n, rank, id, timeout=20)
    array = numpy.ones(10)
    if rank == 1:
        comm.all_reduce(array)
        os._exit(0)
    try:
        while True:  # also the first may fail: rank 1 is done with it before the others are
            comm.all_reduce(array)
    except blink.RemoteError as error:
        sentence = str(error)
    rest = comm.shrink(exclude=[1])
    array[:] = 1
    rest.all_reduce(array)
    results.put((rank, sentence, array[0]))


def differs(path, n, rank, id, results):
    comm = blink.Communicator(blink.Schedule(path), n, rank, id, timeout=20)
    try:
        comm.all_reduce(numpy.ones(10 + (rank == 2)))
    except blink.Error as error:
        results.put((rank, type(error).__name__, str(error)))
    comm.abort()


def does_not_fit(path, n, rank, id, results):
    try:
        blink.Communicator(blink.Schedule(path), n + (rank == 1), rank, id, timeout=0.5)
    except blink.Error as error:
        results.put((rank, type(error).__name__, str(error)))
