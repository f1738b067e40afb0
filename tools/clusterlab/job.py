"""The ranks of a command: started, listened to and waited for."""
import os
import selectors
import signal
import subprocess
import threading
import time

from . import processes


class Rank:
    def __init__(self, number, server, process):
        self.number, self.server, self.process = number, server, process
        self.code = None  # exit code, 128 + N after signal N
        self.ended = None  # time.monotonic()
        self.by_lab = False  # the laboratory ended it


class Job:
    """`said(rank, is_error, line)` is called for each line of output, in a thread of the job; without it lines are
    kept in `lines`, a list of such triples. `check` as of a Lab."""

    def __init__(self, ranks, said=None, check=lambda: None):
        self.ranks, self.begin = ranks, time.monotonic()
        self.lines, self.failure = [], None
        self.signalled = None  # time.monotonic() of the last signal
        self.said, self.check = said or (lambda *line: self.lines.append(line)), check
        self.changed = threading.Condition()
        self.thread = threading.Thread(target=self.pump, daemon=True)
        self.thread.start()

    def pump(self):
        """Passes lines on until all ranks have ended and nothing is left of what they wrote."""
        with selectors.DefaultSelector() as selector:
            for rank in self.ranks:
                selector.register(os.pidfd_open(rank.process.pid), selectors.EVENT_READ, (rank, None, None))
                for is_error, pipe in enumerate((rank.process.stdout, rank.process.stderr)):
                    os.set_blocking(pipe.fileno(), False)
                    selector.register(pipe.fileno(), selectors.EVENT_READ, (rank, bool(is_error), bytearray()))
            left, last = len(self.ranks), None
            # Programs that a rank has started may keep its pipes open.
            while selector.get_map() and (left or time.monotonic() < last + 1):
                for key, _ in selector.select(None if left else 0.1):
                    rank, is_error, text = key.data
                    if text is None:
                        selector.unregister(key.fd)
                        os.close(key.fd)
                        self.end(rank)
                        left, last = left - 1, time.monotonic()
                    elif not self.read(key.fd, rank, is_error, text):
                        selector.unregister(key.fd)
        for rank in self.ranks:
            rank.process.stdout.close()
            rank.process.stderr.close()

    def read(self, pipe, rank, is_error, text):
        """False at the end of the pipe."""
        try:
            got = os.read(pipe, 65536)
        except BlockingIOError:
            return True
        *ends, rest = got.split(b"\n")
        if not got and text:
            ends = [b""]
        for end in ends:
            text += end
            line = text.decode(errors="replace")
            text.clear()
            try:
                self.said(rank.number, is_error, line)
            except Exception as error:  # wait() raises it; the ranks continue
                self.said, self.failure = (lambda *line: None), error
        text += rest
        return bool(got)

    def end(self, rank):
        code = rank.process.wait()
        with self.changed:
            rank.code, rank.ended = 128 - code if code < 0 else code, time.monotonic()
            self.changed.notify_all()

    def running(self):
        return [rank for rank in self.ranks if rank.code is None]

    def wait(self, timeout, until=None):
        """The exit codes; None of those that have not ended after so many seconds. `until`: ends the wait as soon as it
        is true, asked when a rank has ended, and otherwise ten times a second."""
        end = time.monotonic() + timeout
        with self.changed:
            while self.running() and not (until and until()) and (left := end - time.monotonic()) > 0:
                self.check()
                self.changed.wait(min(left, 0.1))
        if not self.running():
            self.thread.join(5)
        if self.failure:
            raise self.failure
        return [rank.code for rank in self.ranks]

    def worst(self):
        """The largest exit code of the ranks that ended by themselves, or that did not end."""
        return max((124 if rank.code is None else rank.code for rank in self.ranks if not rank.by_lab), default=0)

    def signal(self, ranks, number):
        """Of nsenter, only what it waits for is meant; it stops and continues with that."""
        running = [rank for rank in ranks if rank.code is None]
        below = {rank: processes.below(rank.process.pid) or [rank.process.pid] for rank in running}
        self.signalled = time.monotonic()
        for rank in running:
            rank.by_lab |= number == signal.SIGKILL
            for one in below[rank]:
                processes.send(one, number)
            if number != signal.SIGSTOP:
                processes.send(rank.process.pid, signal.SIGCONT)

    def close(self):
        """Ends what is left, the ranks' children, too."""
        for rank in self.running():
            rank.by_lab = True
            processes.kill_group(rank.process.pid)
        self.thread.join(10)


def start(command, environment):
    """In a group of its own, so that it can be ended with what it has started and nothing of a terminal gets to it, and
    in the lab's session: where sessions are scheduled as groups (autogroup), a rank that yields its processor would
    yield it to nobody of another one."""
    return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, process_group=0)
