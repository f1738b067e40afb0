"""An allreduce over several processes of this machine, with NumPy.

    blinkc topo fully-connected 4 --bandwidth 10 -o machine.topo
    blinkc compile machine.topo -o allreduce.sched
    python allreduce.py allreduce.sched
"""

import multiprocessing
import sys

import numpy

import blink


def rank_main(path, nranks, rank, id):
    with blink.Schedule(path) as schedule:
        comm = blink.Communicator(schedule, nranks, rank, id)
    with comm:
        # Rank r contributes r + i in element i, in place.
        count = 1_000_003
        data = numpy.arange(count, dtype=numpy.float64) + rank
        comm.all_reduce(data)
        expected = nranks * numpy.arange(count) + nranks * (nranks - 1) / 2
        wrong = numpy.count_nonzero(data != expected)
        if rank == 0:
            print(f"{nranks} processes, {count} elements, {wrong} wrong")
    sys.exit(1 if wrong else 0)


def main(path):
    with blink.Schedule(path) as schedule:
        nranks = schedule.ranks
    # The id is a secret: it goes to the ranks and nowhere else. This process lives until they have joined.
    id = blink.unique_id()
    ranks = [multiprocessing.Process(target=rank_main, args=(path, nranks, rank, id)) for rank in range(nranks)]
    for process in ranks:
        process.start()
    for process in ranks:
        process.join()
    return max(abs(process.exitcode) for process in ranks)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} FILE.sched")
    sys.exit(main(sys.argv[1]))
