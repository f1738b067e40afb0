"""Runs a function on so many processes, one a rank of a group, and tells what each returned or the first failure."""

import contextlib
import faulthandler
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import pickle
import shutil
import signal
import socket
import tempfile
import time
import traceback
from datetime import timedelta

import torch
import torch.distributed as dist

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 120  # after which a job that has not ended hangs


class RankFailed(AssertionError):
    """A rank's exception, with its traceback as the sentence."""


class Died:
    """What run() tells of a rank that was allowed to end without a result, and did."""

    def __init__(self, exitcode):
        self.exitcode = exitcode

    def __eq__(self, other):
        return isinstance(other, Died)

    def __repr__(self):
        return f"<died, exit code {self.exitcode}>"


def _serve_store(pipe):
    """A process of its own, so that the store outlives every rank."""
    # By a socket of IPv4: of who comes by IPv6 the store asks the name server for the name, which can take seconds.
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    store = dist.TCPStore("127.0.0.1", port, is_master=True, wait_for_workers=False,
                          master_listen_fd=listener.detach())
    pipe.send(store.port)
    signal.pause()


@contextlib.contextmanager
def store_server():
    """The port of a store on loopback."""
    processes = multiprocessing.get_context("fork")
    here, there = processes.Pipe()
    process = processes.Process(target=_serve_store, args=(there,), daemon=True)
    process.start()
    there.close()
    try:
        yield here.recv()
    finally:
        process.kill()
        process.join()


def init(backend, rank, ranks, port, group_timeout, **settings):
    """The default group, over a store on loopback."""
    store = dist.TCPStore("127.0.0.1", port, is_master=False, timeout=timedelta(seconds=60))
    dist.init_process_group(backend, store=store, rank=rank, world_size=ranks,
                            timeout=timedelta(seconds=group_timeout), **settings)


def _rank_main(function, args, rank, ranks, backend, port, group_timeout, settings, log, pipe):
    log = open(log, "a+")
    try:
        os.dup2(log.fileno(), 2)
        faulthandler.enable(log)
        faulthandler.register(signal.SIGUSR1, log, all_threads=True)
        torch.set_num_threads(1)
        torch.manual_seed(0)
        if backend:
            init(backend, rank, ranks, port, group_timeout, **settings)
        value = function(rank, *args)
        if dist.is_initialized():
            dist.destroy_process_group()
        message = ("value", pickle.dumps(value))
    except BaseException:
        message = ("failure", traceback.format_exc())
    pipe.send(message)
    pipe.close()


def run(function, ranks, *args, backend, timeout=SECONDS, group_timeout=30, may_die=(), settings=None, context="fork"):
    """What function(rank, *args) returned on every rank, each in a process with `backend` as its default group.

    With backend None there is no group, for functions that make it: init(name, rank, ranks, port, seconds) does, and
    port comes first among the arguments then. Raises RankFailed with the first rank's traceback, and TimeoutError with
    the stacks of those ranks that have not returned. Ranks in may_die may end without a result, which is Died then.
    """
    __tracebackhide__ = True
    processes = multiprocessing.get_context(context)
    with store_server() as port, contextlib.ExitStack() as files:
        logs = [files.enter_context(tempfile.NamedTemporaryFile("w+")) for _ in range(ranks)]
        if not backend:
            args = (port, *args)
        pipes, workers = [], []
        for rank in range(ranks):
            here, there = processes.Pipe(duplex=False)
            worker = processes.Process(target=_rank_main, args=(
                function, args, rank, ranks, backend, port, group_timeout, settings or {}, logs[rank].name, there))
            worker.start()
            there.close()
            pipes.append(here)
            workers.append(worker)
        try:
            results = _collect(workers, pipes, logs, time.monotonic() + timeout, may_die)
        finally:
            for worker in workers:
                worker.kill()
            for worker in workers:
                worker.join()
    return results


def _collect(workers, pipes, logs, deadline, may_die):
    __tracebackhide__ = True
    results, waiting = {}, dict(enumerate(pipes))
    while waiting:
        ready = multiprocessing.connection.wait(waiting.values(), max(0, deadline - time.monotonic()))
        if not ready:
            raise TimeoutError(f"ranks {sorted(waiting)} have not returned\n" + _stacks(workers, logs, waiting))
        for rank in [rank for rank, pipe in waiting.items() if pipe in ready]:
            try:
                kind, value = waiting.pop(rank).recv()
            except EOFError:
                workers[rank].join(10)
                if rank not in may_die:
                    end = f"rank {rank} died, exit code {workers[rank].exitcode}"
                    raise RankFailed(f"{end}\n{_text(logs[rank])}") from None
                results[rank] = Died(workers[rank].exitcode)
                continue
            if kind == "failure":
                raise RankFailed(f"rank {rank}:\n{value}\n{_text(logs[rank])}")
            results[rank] = pickle.loads(value)
    for rank, worker in enumerate(workers):
        worker.join(max(0, deadline - time.monotonic()))
        if worker.exitcode != 0 and rank not in may_die:
            what = "has not ended" if worker.exitcode is None else f"ended with exit code {worker.exitcode}"
            raise RankFailed(f"rank {rank} returned, but its process {what}\n{_stacks(workers, logs, [rank])}")
    return [results[rank] for rank in range(len(workers))]


def _stacks(workers, logs, ranks):
    for rank in ranks:
        if workers[rank].is_alive():
            os.kill(workers[rank].pid, signal.SIGUSR1)
            # The stack is written by the process itself; there is nothing to wait for but its file.
            end = time.monotonic() + 2
            while "Current thread" not in _text(logs[rank]) and time.monotonic() < end:
                os.sched_yield()
    return "\n".join(f"rank {rank}:\n{_text(logs[rank])}" for rank in ranks)


def _text(log):
    return os.pread(log.fileno(), 1 << 20, 0).decode(errors="replace")[-6000:]


def failure_of(call):
    """Type and sentence of the exception that call() raises; None if it raises none."""
    try:
        call()
    except Exception as error:
        return type(error).__name__, str(error)
    return None


def find_blinkc():
    """BLINK_BLINKC, or on PATH, or of build/dev or build/release; None if there is none."""
    built = [ROOT / "build" / preset / "tools" / "blinkc" / "blinkc" for preset in ("dev", "release")]
    return os.environ.get("BLINK_BLINKC") or shutil.which("blinkc") or next(
        (str(path) for path in built if path.exists()), None)
