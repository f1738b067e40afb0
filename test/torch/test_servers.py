"""Groups on several servers: those of tools/cluster-lab, with shaped links, and how launchers start them.

Needs root, for namespaces, and blinkc: BLINK_BLINKC, or on PATH, or of build/dev or build/release.
"""

import os
import pathlib
import subprocess
import sys

import pytest

from jobs import ROOT, find_blinkc

CHECKS = pathlib.Path(__file__).with_name("servers_checks.py")
EXAMPLE = ROOT / "runtime" / "examples" / "train_torch.py"
SECONDS = 180

sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tools" / "bench-cluster.d")]
import clusters  # noqa: E402
from clusterlab import Cluster, Lab  # noqa: E402


def has_namespaces():
    probe = ["unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "ip", "link", "add", "type", "veth"]
    return os.geteuid() == 0 and subprocess.run(probe, capture_output=True).returncode == 0


BLINKC = find_blinkc()
pytestmark = [pytest.mark.only_blink("schedules for servers"),
              pytest.mark.skipif(not has_namespaces(), reason="no namespaces here: it takes root"),
              pytest.mark.skipif(not BLINKC, reason="no blinkc: set BLINK_BLINKC")]


def compile(topology, schedule, *options):
    subprocess.run([BLINKC, "compile", topology, "-o", schedule, *options], check=True, capture_output=True)
    return str(schedule)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """`lab.topo`, two servers of two ranks; `bundle.sched` for 2 + 1 ranks; `both`, files for those and for 1 + 2."""
    folder = tmp_path_factory.mktemp("servers")
    topology = folder / "lab.topo"
    topology.write_text(clusters.flat("lab", [2, 2], "two servers", [0.125, 0.125]).text())  # 1 Gbit/s
    compile(topology, folder / "bundle.sched", "--allocations", "0,1,2", "--collectives", "all,sendrecv")
    (folder / "both").mkdir()
    for gpus in ("0,1,2", "0,2,3"):
        for collective in ("allreduce", "broadcast", "allgather"):
            compile(topology, folder / "both" / f"{gpus}-{collective}.sched", "-g", gpus, "-c", collective)
    return folder


@pytest.fixture(scope="module")
def lab(folder):
    with Lab(Cluster.read(folder / "lab.topo")) as made:
        yield made


@pytest.fixture(autouse=True)
def environment(folder, monkeypatch):
    monkeypatch.setenv("BLINK_HOST_SCHEDULES", str(folder / "bundle.sched"))
    monkeypatch.setenv("BLINK_HEARTBEAT_MS", "10000")  # for machines that are busy with other tests
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "eth0")


def checks(lab, *names, gpus=(0, 1, 2)):
    """What each rank printed; all end well."""
    job = lab.start([sys.executable, str(CHECKS), *names], gpus)
    ended = job.wait(SECONDS)
    text = "\n".join(f"[{rank}] {line}" for rank, _, line in job.lines)
    assert ended == [0] * len(ended), f"{ended}\n{text}"
    return [[line for rank, is_error, line in job.lines if rank == one.number and not is_error] for one in job.ranks]


def test_collectives_messages_groups_and_training(lab):
    names = ["collectives", "messages", "groups", "ddp", "shrink"]
    ranks = checks(lab, *names)
    assert [[line for line in lines if line in names] for lines in ranks] == [names] * 3


def test_two_trainings_have_the_same_bits(lab):
    runs = [[line for line in checks(lab, "ddp")[0] if line.startswith("parameters")] for _ in range(2)]
    assert runs[0] and runs[0] == runs[1]


@pytest.mark.parametrize("gpus", [(0, 1, 2), (0, 2, 3)])
def test_several_placements_in_one_folder(lab, folder, monkeypatch, gpus):
    """Those schedules are taken that are for where the ranks run."""
    monkeypatch.setenv("BLINK_HOST_SCHEDULES", str(folder / "both"))
    checks(lab, "ddp", gpus=gpus)


def test_no_schedules_for_servers(lab, monkeypatch):
    monkeypatch.delenv("BLINK_HOST_SCHEDULES")
    for lines in checks(lab, "refused"):
        assert "rank 2 is on host server1 and rank 0 on server0" in lines[0], lines
        assert "blinkc compile CLUSTER.topo --allocations 0,1,2 " in lines[0], lines


def test_schedules_for_another_placement(lab):
    for lines in checks(lab, "refused", gpus=(0, 2, 3)):
        assert "where the ranks run, on servers {0} {1-2}: there are some for " in lines[0], lines
        assert "{0-1} {2}" in lines[0], lines


def test_torchrun_on_two_servers(lab):
    """As docs/clusters.md has it: torchrun once a server, each with as many processes as it has ranks."""
    jobs = []
    for server, processes in zip(lab.cluster.servers, (2, 1)):
        command = [sys.executable, "-m", "torch.distributed.run", "--nnodes", "2", "--node-rank", server.number,
                   "--nproc-per-node", processes, "--master-addr", "server0", "--master-port", 29500, EXAMPLE]
        jobs.append(lab.spawn(server, [str(word) for word in command], lab.environment(server)))
    written = [job.communicate(timeout=SECONDS) for job in jobs]
    assert [job.returncode for job in jobs] == [0, 0], written
    assert b"3 ranks, 10504 parameters, 0 differ" in written[0][0], written
