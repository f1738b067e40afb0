"""What the processes of test_gpus.py do: a module of its own, which a spawned process imports."""

import cuda
import numpy

import blink


def collectives(path, n, rank, id, results):
    gpu = n - 1 - rank
    with blink.Communicator(blink.Schedule(path), n, rank, id, device=gpu, backend="cuda", timeout=60) as comm:
        array, totals = cuda.Dlpack(gpu, numpy.full(100_000, rank + 1.0, numpy.float32)), []
        comm.all_reduce(array)
        totals.append(array.get()[-1])
        with comm.register(array):
            for turn in range(1, 4):
                array.set(numpy.full(100_000, (rank + 1.0) * 2**turn, numpy.float32))
                comm.all_reduce(array)
                totals.append(array.get()[-1])
        gathered = cuda.Numba(gpu, numpy.zeros(5 * n, numpy.int64))
        comm.all_gather(cuda.Numba(gpu, numpy.full(5, rank)), gathered)
        try:
            comm.register(numpy.zeros(4))
        except blink.InvalidArgument as error:
            results.put((rank, totals, gathered.get().tolist(), str(error)))
