"""A hang explains itself: the exception of every rank names who keeps the job waiting, and a file has the picture."""

import json
import os
import subprocess
import sys
import time
from datetime import timedelta

import pytest
import torch
import torch.distributed as dist

from jobs import ROOT, failure_of, run

pytestmark = pytest.mark.only_blink("the judgement is its own")

LIMIT = 2  # seconds that calls may wait
LARGE = 2000  # elements: such a call is in the picture before its first chunk is with another rank


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("BLINK_HANG_DIR", str(tmp_path))
    return tmp_path


def picture_of(folder):
    """The only file, which is of one job and whole."""
    path, = folder.iterdir()
    picture = json.loads(path.read_text())
    assert (picture["format"], picture["version"]) == ("blink-picture", 1)
    assert path.name in [f"blink-hang.{picture['job']}.rank{rank}.json" for rank in range(len(picture["ranks"]))]
    return picture


def analysis_of(folder):
    """What PyTorch's analyser of flight records says of the picture."""
    dumps = folder / "dumps"
    path, = folder.glob("*.json")
    subprocess.run([sys.executable, ROOT / "tools" / "hang-to-torch", path, dumps], check=True, timeout=60)
    call = [sys.executable, "-m", "torch.distributed.flight_recorder.fr_trace", dumps]
    return subprocess.run(call, check=True, timeout=60, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True).stdout


def one_is_late(backend, late, asynchronous):
    """Four ranks call three times; rank `late` leaves out the last call until the others have failed."""
    def last():
        tensor = torch.ones(LARGE)
        if asynchronous:
            dist.all_reduce(tensor, async_op=True).wait()
        else:
            dist.all_reduce(tensor)

    def body(rank):
        for count in (1, 2):
            dist.all_reduce(torch.ones(count))
        store = dist.distributed_c10d._get_default_store()
        if rank == late:
            store.wait([f"{other} has failed" for other in range(4) if other != late])
            return failure_of(last), 0
        began = time.monotonic()
        failure = failure_of(last)
        seconds = time.monotonic() - began
        store.add(f"{rank} has failed", 1)
        return failure, seconds
    return run(body, 4, backend=backend, group_timeout=LIMIT)


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("late", [0, 3])
def test_a_rank_that_does_not_call(backend, folder, late, asynchronous):
    others = [rank for rank in range(4) if rank != late]
    call = f"allreduce of {LARGE} float32 with sum"
    judgement = f"rank {late} has made 2 calls, the others 3: it has not called {call}"
    for rank, ((kind, sentence), seconds) in enumerate(one_is_late(backend, late, asynchronous)):
        assert kind == "DistBackendError" and judgement in sentence, f"rank {rank}: {kind}: {sentence}"
        assert f"waited {1000 * LIMIT} ms for rank {late} to call it too" in sentence, sentence
        assert f"ranks {','.join(map(str, others))} wait for rank {late}" in sentence, sentence
        assert rank == late or LIMIT / 2 < seconds < 10 * LIMIT, f"{seconds} s"
    picture = picture_of(folder)
    assert (picture["cause"], picture["culprits"], picture["sentence"]) == ("behind", [late], judgement)
    assert picture["timeoutMs"] == 1000 * LIMIT
    for rank in picture["ranks"]:
        waits = rank["rank"] != late
        assert rank["known"] and rank["inCall"] == waits and rank["collectives"] == 2 + waits, rank
        assert [one["count"] for one in rank["calls"]] == [1, 2, LARGE][:2 + waits]
        assert {wait["peer"] for wait in rank["waits"]} == ({late} if waits else set())


DIFFERENT = {
    "sizes": (lambda: dist.all_reduce(torch.ones(LARGE + 1)), f"allreduce of {LARGE + 1} float32 with sum"),
    "types": (lambda: dist.all_reduce(torch.ones(LARGE, dtype=torch.int32)), f"allreduce of {LARGE} int32 with sum"),
    "operators": (lambda: dist.all_reduce(torch.ones(LARGE), dist.ReduceOp.MAX),
                  f"allreduce of {LARGE} float32 with max"),
    "collectives": (lambda: dist.broadcast(torch.ones(LARGE), 0), f"broadcast of {LARGE} float32 and root 0"),
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_calls_that_differ(backend, folder, what):
    """Both sides are named. Of three ranks the third may be in the call before when one sees that the others differ."""
    def calls(rank):
        for count in (1, 2):
            dist.all_reduce(torch.ones(count))
        if rank == 1:
            DIFFERENT[what][0]()
        else:
            dist.all_reduce(torch.ones(LARGE))

    def body(rank):
        return failure_of(lambda: calls(rank))
    usual = f"allreduce of {LARGE} float32 with sum"
    for rank, (kind, sentence) in enumerate(run(body, 3, backend=backend, group_timeout=20)):
        assert kind == "DistBackendError" and "the ranks' calls differ: " in sentence, f"rank {rank}: {sentence}"
        assert f"rank 1 has {DIFFERENT[what][1]}" in sentence, sentence
        assert f"rank 0 has {usual}" in sentence or f"rank 2 has {usual}" in sentence, sentence
    picture = picture_of(folder)
    assert picture["cause"] == "differs" and picture["culprits"] in ([1], [0, 1], [1, 2])
    assert "as call 3 " in picture["sentence"] and DIFFERENT[what][1] in picture["sentence"]


def test_a_rank_that_dies(backend, folder):
    """The file has what the lost process was at."""
    def calls(rank):
        dist.all_reduce(torch.ones(1))
        if rank == 1:
            os._exit(3)
        dist.all_reduce(torch.ones(LARGE))

    def body(rank):
        return failure_of(lambda: calls(rank))
    results = run(body, 3, backend=backend, may_die={1}, group_timeout=50, timeout=45)
    for rank in (0, 2):
        assert results[rank][0] == "DistBackendError" and "rank 1" in results[rank][1], results[rank]
    picture = picture_of(folder)
    assert (picture["cause"], picture["culprits"]) == ("died", [1])
    assert picture["ranks"][1]["state"] == "dead" and picture["ranks"][1]["collectives"] == 1


def test_each_group_has_a_file(backend, folder):
    """A group numbers its ranks itself: its rank 1 is rank 3 here."""
    def body(rank):
        pairs = [dist.new_group(pair, timeout=timedelta(seconds=LIMIT)) for pair in ([0, 2], [1, 3])]
        own = pairs[rank % 2]
        dist.all_reduce(torch.ones(1), group=own)
        store = dist.distributed_c10d._get_default_store()
        if rank >= 2:
            store.wait(["0 has failed", "1 has failed"])
            return None
        failure = failure_of(lambda: dist.all_reduce(torch.ones(LARGE), group=own))
        store.add(f"{rank} has failed", 1)
        return failure
    for kind, sentence in run(body, 4, backend=backend)[:2]:
        assert kind == "DistBackendError" and "rank 1 has made 1 call, the others 2" in sentence, sentence
    pictures = [json.loads(path.read_text()) for path in folder.iterdir()]
    assert len(pictures) == 2 and pictures[0]["job"] != pictures[1]["job"]
    assert all(picture["culprits"] == [1] and len(picture["ranks"]) == 2 for picture in pictures)


def test_pytorchs_analyser_names_who_is_missing(backend, folder):
    one_is_late(backend, 3, False)
    said = analysis_of(folder)
    assert "sequence number: 3" in said and "missing ranks: {3}" in said and "all_reduce" in said, said


def test_pytorchs_analyser_names_whose_call_differs(backend, folder):
    def body(rank):
        return failure_of(DIFFERENT["collectives"][0] if rank == 1 else lambda: dist.all_reduce(torch.ones(LARGE)))
    run(body, 2, backend=backend, group_timeout=20)
    said = analysis_of(folder)
    assert "Culprit rank 1" in said and "COLLECTIVE_TYPE_MISMATCH" in said, said
