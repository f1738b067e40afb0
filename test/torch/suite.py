#!/usr/bin/env python3
"""Runs PyTorch's own suite of distributed tests, the one that is in its wheel, for a back end given by name.

    test/torch/suite.py                          for blink, 3 processes a test
    test/torch/suite.py --backend gloo           for gloo, as PyTorch runs it
    test/torch/suite.py --backend gloo --open    for gloo, with everything opened that is opened for blink
    test/torch/suite.py -k monitored_barrier --json FILE

The suite, torch/testing/_internal/distributed/distributed_test.py, guards its tests by sets of names
(DistTestCases.backend_feature) and by names in the text (BACKEND != "gloo"), although what they test is nobody's own.
A back end that is not PyTorch's is put into the sets here, and the guards in the text are rewritten before the text is
run: OPENINGS lists them all. Each must be found as often as it was in the version of PyTorch it was written for, so
that none is skipped unseen when a new version words it differently.

What stays closed: tests that ask for "nccl" by name, which are of CUDA tensors and of NCCL's own. Others of CUDA
tensors the suite skips by itself where there is not a GPU a rank.
"""
import argparse
import collections
import json
import linecache
import os
import pathlib
import sys
import tempfile
import time
import types
import unittest


class Opening:
    """One rewriting of the suite's text. BACKEND is the suite's own variable, the name it runs for."""

    def __init__(self, old, new, times, why):
        self.old, self.new, self.times, self.why = old, new, times, why


OPENINGS = [
    Opening('\nPROFILING_SUPPORTED_BACKENDS = [\n',
            '\nPROFILING_SUPPORTED_BACKENDS = [\n    os.environ["BACKEND"],\n', 1,
            "collectives are events of the profiler, with name and shapes"),
    Opening('\nSEND_RECV_PROFILING_SUPPORTED_BACKENDS = [\n',
            '\nSEND_RECV_PROFILING_SUPPORTED_BACKENDS = [\n    os.environ["BACKEND"],\n', 1,
            "messages are events of the profiler, with name and shapes"),
    Opening('@require_backend_is_available({"gloo"})', '@require_backend_is_available({"gloo", BACKEND})', 19,
            "all_reduce_coalesced, monitored_barrier, scatter_object_list, DDP with no_sync"),
    Opening('BACKEND != "gloo", "Only gloo backend supports timeouts"',
            'BACKEND not in ("gloo", BACKEND), "Only gloo backend supports timeouts"', 4,
            "a barrier that ends at its group's timeout"),
    Opening('BACKEND != "gloo", "GLOO Batch Send Recv CPU"',
            'BACKEND not in ("gloo", BACKEND), "GLOO Batch Send Recv CPU"', 2, "batch_isend_irecv, with tags, too"),
    Opening('BACKEND != "gloo", "Only Gloo backend supports sparse all reduce"',
            'BACKEND not in ("gloo", BACKEND), "Only Gloo backend supports sparse all reduce"', 2,
            "all_reduce of sparse tensors"),
    Opening('BACKEND != "mpi", "Only MPI supports CPU all_to_all_single"',
            'BACKEND not in ("mpi", BACKEND), "Only MPI supports CPU all_to_all_single"', 8,
            "all_to_all_single, with uneven splits, too"),
    Opening('BACKEND != "mpi", "Only MPI supports all_to_all"',
            'BACKEND not in ("mpi", BACKEND), "Only MPI supports all_to_all"', 4, "all_to_all of lists"),
    Opening('BACKEND != "mpi" and BACKEND != "nccl" and BACKEND != "gloo",\n            "get_future is',
            'BACKEND not in ("mpi", "nccl", "gloo", BACKEND),\n            "get_future is', 5,
            "futures, and DDP's hooks that chain them"),
    Opening('if BACKEND == "mpi" or BACKEND == "gloo":', 'if BACKEND in ("mpi", "gloo", BACKEND):', 1,
            "the same tests: models on the CPU"),
    Opening('BACKEND != "nccl" and BACKEND != "gloo",\n            "Only Nccl & Gloo backend support Distr',
            'BACKEND not in ("nccl", "gloo", BACKEND),\n            "Only Nccl & Gloo backend support Distr', 2,
            "DDP of several forwards, and of SyncBatchNorm"),
    Opening('BACKEND != "gloo" and BACKEND != "nccl",', 'BACKEND not in ("gloo", "nccl", BACKEND),', 4,
            "all_reduce of CUDA tensors, where there is a GPU a rank"),
    Opening('def test_ddp_logging_data_cpu(self):\n',
            'def test_ddp_logging_data_cpu(self):\n            LOGGED = "custom"\n', 1,
            "PyTorch's log calls every back end but its own \"custom\""),
    Opening('ddp_logging_data.get("backend_name"), dist.get_backend(group_id)',
            'ddp_logging_data.get("backend_name"), LOGGED', 1,
            "PyTorch's log calls every back end but its own \"custom\""),
]
LOGGED = OPENINGS[-2]  # the one that does not hold for gloo, whose name the log has

# Tests that need other processes than the suite has here, and why; as PyTorch says in a comment, "always skipped".
SMALL_WORLD = "skip_if_small_worldsize wants 8 processes; its tests use a group of ranks 1 and 2, so 3 are enough"


def fail(message):
    sys.exit(f"suite: {message}")


def opened(text, backend):
    """The suite's text with every opening applied."""
    for opening in OPENINGS:
        found = text.count(opening.old)
        if found != opening.times:
            fail(f"{opening.old.strip()!r} is {found} times in PyTorch's suite, not {opening.times}: this version "
                 f"words it differently, so tests would be skipped unseen ({opening.why}); bring OPENINGS up to date")
        new = opening.new
        if opening is LOGGED and backend == "gloo":
            new = new.replace('"custom"', '"gloo"')
        text = text.replace(opening.old, new)
    return text


def load(backend, opening):
    """The suite as a module, under its own name: its tests pickle its classes."""
    import torch.testing._internal.common_distributed as common
    import torch.testing._internal.distributed as package

    if opening:
        for feature in ("gpu", "cuda", "ddp", "subgroup"):
            common.DistTestCases.backend_feature[feature].add(backend)
        if backend != "gloo":
            common.DistTestCases.backend_feature["plugin"].add(backend)
        common.skip_if_small_worldsize = lambda test: test
    name = "torch.testing._internal.distributed.distributed_test"
    path = pathlib.Path(package.__file__).parent / "distributed_test.py"
    text = opened(path.read_text(), backend) if opening else path.read_text()
    source = f"{path}{' (opened)' if opening else ''}"
    linecache.cache[source] = (len(text), None, text.splitlines(True), source)  # so that tracebacks show what runs
    module = types.ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    exec(compile(text, source, "exec"), module.__dict__)
    return module


def make_cases(module):
    """The suite's class with processes that are forked: half a second a test, not four."""
    import torch

    class Forked(module.TestDistBackend, module.DistributedTest._DistTestBase):
        def setUp(self):
            super().setUp()
            if module.INIT_METHOD.startswith("file://"):  # a store that tests make anew
                pathlib.Path(module.INIT_METHOD.removeprefix("file://")).unlink(missing_ok=True)
            self._start_processes(torch.multiprocessing.get_context("fork").Process)
            torch.backends.cudnn.flags(enabled=True, allow_tf32=False).__enter__()

        def _check_return_codes(self, fn, elapsed_time):
            """The suite looks at the first process's only: a crash of another one would pass."""
            super()._check_return_codes(fn, elapsed_time)
            if fn not in self.skip_return_code_checks:
                codes = [process.exitcode for process in self.processes]
                self.assertEqual(codes, [0] * len(codes), "exit codes of the ranks")

    return Forked


class Result(unittest.TestResult):
    """How each test went, with what its processes wrote when it failed."""

    def __init__(self, out, log, verbose):
        super().__init__()
        self.out, self.log, self.verbose = out, log, verbose
        self.rows, self.began = [], {}

    def startTest(self, test):
        super().startTest(test)
        self.began[test] = time.monotonic()
        self.from_byte = os.fstat(self.log).st_size

    def add(self, test, outcome, reason=""):
        seconds = time.monotonic() - self.began.get(test, time.monotonic())
        self.rows.append({"test": name_of(test), "outcome": outcome, "reason": reason, "seconds": round(seconds, 2)})
        if self.verbose or outcome == "fail":
            print(f"{outcome} {name_of(test)} {seconds:.1f} s {reason}".rstrip(), file=self.out, flush=True)

    def addSuccess(self, test):
        self.add(test, "pass")

    def addSkip(self, test, reason):
        self.add(test, "skip", reason)

    def addFailure(self, test, error):
        written = os.pread(self.log, 1 << 20, self.from_byte).decode(errors="replace")
        self.add(test, "fail", f"{error[1]}\n{written[-4000:]}")

    addError = addFailure

    def addExpectedFailure(self, test, error):
        self.add(test, "pass")

    def addUnexpectedSuccess(self, test):
        self.add(test, "fail", "passed, against what its decorator says")


def name_of(test):
    return test.id().rsplit(".", 1)[-1]


def summary(rows, backend):
    """The table of reasons why tests were skipped, and the line of counts."""
    count = collections.Counter(row["outcome"] for row in rows)
    reasons = collections.Counter(row["reason"] for row in rows if row["outcome"] == "skip")
    if reasons:
        print("\n| skipped | why |\n|---|---|")
        for reason, times in reasons.most_common():
            print(f"| {times} | {reason.splitlines()[0]} |")
    failed = [row["test"] for row in rows if row["outcome"] == "fail"]
    if failed:
        print("\nfailed:", *failed, sep="\n  ")
    print(f"\nPyTorch's suite for {backend}: {count['pass']} passed, {count['fail']} failed, {count['skip']} skipped, "
          f"{sum(row['seconds'] for row in rows):.0f} s")
    return {"passed": count["pass"], "failed": count["fail"], "skipped": count["skip"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="blink", help="blink unless told")
    parser.add_argument("--open", action="store_true", help="open guards for PyTorch's own back ends, too")
    parser.add_argument("-k", dest="patterns", action="append", metavar="PATTERN",
                        help="only tests whose name has it; repeatable")
    parser.add_argument("--world-size", type=int, default=3, help="3 unless told")
    parser.add_argument("-v", "--verbose", action="store_true", help="a line for each test")
    parser.add_argument("--list-openings", action="store_true", help="what is rewritten, and why; runs nothing")
    parser.add_argument("--json", type=pathlib.Path, help="also write each test's outcome here")
    args = parser.parse_args()
    if args.list_openings:
        for opening in OPENINGS:
            print(f"{opening.times:3} x {opening.old.strip().splitlines()[0]}\n      {opening.why}")
        print(f"      {SMALL_WORLD}")
        return 0

    folder = tempfile.TemporaryDirectory(prefix="blink-suite-")
    opening = args.open or args.backend not in ("gloo", "nccl", "mpi", "ucc", "xccl")
    os.environ.update(BACKEND=args.backend, WORLD_SIZE=str(args.world_size), TEMP_DIR=folder.name, OMP_NUM_THREADS="1")
    os.environ.setdefault("DISTRIBUTED_TESTS_DEFAULT_TIMEOUT", "120")
    if opening:  # some tests make the default group anew, and can do so with files only
        os.environ["INIT_METHOD"] = f"file://{folder.name}/store"

    import torch
    if torch.cuda.device_count() < args.world_size:
        os.environ["CUDA_VISIBLE_DEVICES"] = ""  # with some but too few, the suite would skip everything
    torch.set_num_threads(1)

    module = load(args.backend, opening)
    cases = make_cases(module)
    tests = unittest.TestSuite(cases(name) for name in unittest.defaultTestLoader.getTestCaseNames(cases)
                               if not args.patterns or any(pattern in name for pattern in args.patterns))
    if not tests.countTestCases():
        fail("no test has such a name")

    # What the processes write goes to a file, of which a failed test's part is shown.
    out = os.fdopen(os.dup(1), "w")
    with tempfile.TemporaryFile() as log:
        for number in (1, 2):
            os.dup2(log.fileno(), number)
        result = Result(out, log.fileno(), args.verbose)
        print(f"{tests.countTestCases()} tests of PyTorch {torch.__version__} for {args.backend}, {args.world_size} "
              f"processes{', with what is closed for it by name opened' if opening else ''}", file=out, flush=True)
        tests.run(result)
        os.dup2(out.fileno(), 1)
    counts = summary(result.rows, args.backend)
    if args.json:
        head = {"backend": args.backend, "torch": torch.__version__, "opened": opening, "processes": args.world_size}
        args.json.write_text(json.dumps({**head, **counts, "tests": result.rows}, indent=2) + "\n")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
