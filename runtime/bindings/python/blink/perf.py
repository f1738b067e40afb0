"""Measures a collective as Python programs call it, in the columns of nccl-tests.

    python -m blink.perf machine.sched --ranks 4 -b 1K -e 16M -f 4

Each rank is a process, and buffers are arrays of NumPy. `bytes` is the size of the larger buffer. `time` is that of one
of --iters calls in a row, on the slowest rank. `algbw` is bytes divided by time; `busbw` is the resulting rate on a
link, as in nccl-tests. `wrong` counts the wrong elements of one call before the measurement. blink-perf measures the
runtime without Python.
"""

import argparse
import multiprocessing
import queue
import sys
import time
from typing import Any, Callable, NamedTuple, Optional

import numpy

from . import Communicator, Error, Schedule, __version__, unique_id


class Collective(NamedTuple):
    """A collective: how to call it, which buffers have one block per rank, and busbw as a factor of algbw."""

    call: "Callable[[Communicator, Any, Any, int], None]"
    sends_all: bool
    receives_all: bool
    bus: "Callable[[int], float]"
    expected: "Callable[[numpy.ndarray, int], Any]"  # (inputs of all ranks, rank) -> result, or None


def _blocks(inputs: numpy.ndarray) -> numpy.ndarray:
    return inputs.reshape(len(inputs), len(inputs), -1)


def _part(n: int) -> float:
    return (n - 1) / n


ROOT = 0
COLLECTIVES = {
    "all_reduce": Collective(lambda c, s, r, _: c.all_reduce(s, r), False, False, lambda n: 2 * _part(n),
                             lambda inputs, rank: inputs.sum(0)),
    "broadcast": Collective(lambda c, s, r, root: c.broadcast(s, r, root), False, False, lambda n: 1,
                            lambda inputs, rank: inputs[ROOT]),
    "reduce": Collective(lambda c, s, r, root: c.reduce(s, r, root=root), False, False, lambda n: 1,
                         lambda inputs, rank: inputs.sum(0) if rank == ROOT else None),
    "all_gather": Collective(lambda c, s, r, _: c.all_gather(s, r), False, True, _part,
                             lambda inputs, rank: inputs.reshape(-1)),
    "reduce_scatter": Collective(lambda c, s, r, _: c.reduce_scatter(s, r), True, False, _part,
                                 lambda inputs, rank: _blocks(inputs)[:, rank].sum(0)),
    "gather": Collective(lambda c, s, r, root: c.gather(s, r, root), False, True, _part,
                         lambda inputs, rank: inputs.reshape(-1) if rank == ROOT else None),
    "scatter": Collective(lambda c, s, r, root: c.scatter(s, r, root), True, False, _part,
                          lambda inputs, rank: _blocks(inputs)[ROOT, rank]),
    "all_to_all": Collective(lambda c, s, r, _: c.all_to_all(s, r), True, True, _part,
                             lambda inputs, rank: _blocks(inputs)[:, rank].reshape(-1)),
}
COLUMNS = "{:>12} {:>12} {:>8} {:>12} {:>8} {:>8} {:>6}"


def size(text: str) -> int:
    """Parses a number of bytes with K, M or G."""
    shift = {"K": 10, "M": 20, "G": 30}.get(text[-1:].upper())
    number = int(text[:-1] if shift else text)
    if number < 0:
        raise ValueError
    return number << (shift or 0)


def arguments(argv: "Optional[list[str]]") -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m blink.perf", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedule", nargs="+", help="schedules or a bundle (.sched)")
    parser.add_argument("--ranks", type=int, metavar="N", help="number of ranks; default that of the schedule")
    parser.add_argument("--collective", choices=COLLECTIVES, default="all_reduce",
                        help="reductions use sum; default all_reduce")
    parser.add_argument("--dtype", choices=["int32", "int64", "float32", "float64"], default="float32",
                        help="type of the elements; default float32")
    parser.add_argument("--bytes", type=size, metavar="SIZE", help="measure only this size")
    parser.add_argument("-b", "--minbytes", type=size, metavar="SIZE", default=1 << 10,
                        help="smallest size; default 1K")
    parser.add_argument("-e", "--maxbytes", type=size, metavar="SIZE", default=16 << 20,
                        help="largest size; default 16M")
    parser.add_argument("-f", "--stepfactor", type=int, metavar="N", default=4,
                        help="factor between sizes; default 4")
    parser.add_argument("-n", "--iters", type=int, metavar="N", default=20, help="number of timed calls; default 20")
    parser.add_argument("-w", "--warmup-iters", type=int, metavar="N", default=5,
                        help="number of calls before the timed ones; default 5")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", default=30,
                        help="seconds that a rank waits for the others; default 30")
    args = parser.parse_args(argv)
    if args.bytes is not None:
        args.minbytes = args.maxbytes = args.bytes
    if args.stepfactor < 2 or args.iters < 1 or args.warmup_iters < 0 or (args.ranks is not None and args.ranks < 1):
        parser.error("--stepfactor is at least 2, --iters and --ranks are at least 1")
    return args


def counts(args: argparse.Namespace) -> "list[int]":
    """Returns the number of elements of a block for each size."""
    collective, found = COLLECTIVES[args.collective], []
    blocks = args.ranks if collective.sends_all or collective.receives_all else 1
    bytes = args.minbytes
    while bytes <= args.maxbytes:
        found.append(bytes // (numpy.dtype(args.dtype).itemsize * blocks))
        bytes = max(bytes * args.stepfactor, 1)
    return found


def input_of(args: argparse.Namespace, rank: int, count: int) -> numpy.ndarray:
    """Returns small numbers, whose sums are exact."""
    blocks = args.ranks if COLLECTIVES[args.collective].sends_all else 1
    return ((numpy.arange(blocks * count) + rank) % 7).astype(args.dtype)


def measure(args: argparse.Namespace, rank: int, id: bytes, begin: Any, results: Any) -> None:
    """Runs in a rank's process: puts (rank, row, seconds of a call, wrong elements), or its error, into `results`."""
    try:
        collective = COLLECTIVES[args.collective]
        comm = Communicator(Schedule(*args.schedule), args.ranks, rank, id, timeout=args.timeout)
        for row, count in enumerate(counts(args)):
            send = input_of(args, rank, count)
            recv = numpy.zeros(count * (args.ranks if collective.receives_all else 1), args.dtype)
            collective.call(comm, send, recv, ROOT)
            expected = collective.expected(numpy.stack([input_of(args, r, count) for r in range(args.ranks)]), rank)
            wrong = 0 if expected is None else int((recv != expected).sum())
            for _ in range(args.warmup_iters):
                collective.call(comm, send, recv, ROOT)
            begin.wait(args.timeout)
            start = time.perf_counter()
            for _ in range(args.iters):
                collective.call(comm, send, recv, ROOT)
            results.put((rank, row, (time.perf_counter() - start) / args.iters, wrong))
            begin.wait(args.timeout)  # no rank may leave, or go on to a check, while others measure
    except Exception as error:
        begin.abort()
        results.put((rank, None, f"{type(error).__name__}: {error}", 0))


def table(args: argparse.Namespace, results: Any) -> int:
    """Prints one line per size as soon as all ranks have measured it. Returns the number of wrong elements. Raises the
    error of a rank."""
    collective, item, bad = COLLECTIVES[args.collective], numpy.dtype(args.dtype).itemsize, 0
    print(f"# blink {__version__}, {args.collective}, {args.ranks} processes, {', '.join(args.schedule)}")
    print(COLUMNS.format("bytes", "count", "type", "time", "algbw", "busbw", "wrong"))
    print(COLUMNS.format("B", "elements", "", "us", "GB/s", "GB/s", ""))
    for count in counts(args):
        ranks = [results.get(timeout=2 * args.timeout + 60) for _ in range(args.ranks)]
        for rank, row, what, _ in ranks:
            if row is None and "BrokenBarrier" not in what:
                raise RuntimeError(f"rank {rank}: {what}")
        if any(row is None for _, row, _, _ in ranks):
            raise RuntimeError("a rank did not come in time")
        seconds, wrong = max(r[2] for r in ranks), sum(r[3] for r in ranks)
        bytes = count * item * (args.ranks if collective.sends_all or collective.receives_all else 1)
        rate = bytes / seconds / 1e9
        print(COLUMNS.format(bytes, count, args.dtype, f"{seconds * 1e6:.2f}", f"{rate:.3f}",
                             f"{rate * collective.bus(args.ranks):.3f}", wrong), flush=True)
        bad += wrong
    return bad


def main(argv: "Optional[list[str]]" = None) -> int:
    args = arguments(argv)
    try:
        if args.ranks is None:
            args.ranks = Schedule(*args.schedule).ranks
        id = unique_id()
    except Error as error:
        print(f"blink.perf: {error}", file=sys.stderr)
        return 2
    processes = multiprocessing.get_context("spawn")
    results, begin = processes.Queue(), processes.Barrier(args.ranks)
    ranks = [processes.Process(target=measure, args=(args, rank, id, begin, results)) for rank in range(args.ranks)]
    for rank in ranks:
        rank.start()
    try:
        bad = table(args, results)
        for rank in ranks:
            rank.join()
    except (RuntimeError, queue.Empty) as error:
        print(f"blink.perf: {error or 'a rank does not respond'}", file=sys.stderr)
        return 1
    finally:
        for rank in ranks:
            rank.kill()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
