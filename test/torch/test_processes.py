"""Processes as users start them: torchrun, Slurm, spawned ones, loaders that fork, and how they end."""

import os
import pathlib
import socket
import subprocess
import sys
import textwrap

import pytest
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset

from jobs import run

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "runtime" / "examples" / "train_torch.py"
SECONDS = 180


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def finish(processes, backend):
    """What each wrote; all must end well. (PyTorch with gloo aborts in one exit of ten on a busy machine.)"""
    written = []
    try:
        for process in processes:
            written.append(process.communicate(timeout=SECONDS)[0])
    finally:
        for process in processes:
            process.kill()
    for process, text in zip(processes, written):
        assert process.returncode == 0 or backend == "gloo", "\n".join(written)
    return written


def start(command, **environment):
    return subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, env={**os.environ, "OMP_NUM_THREADS": "1", **environment})


def script(text, ranks, backend, folder, **environment):
    """Runs a program of this text as `ranks` processes that know each other by the environment."""
    path = folder / "program.py"
    path.write_text(textwrap.dedent(text))
    environment |= {"WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    return finish([start([sys.executable, path, backend], RANK=str(rank), **environment) for rank in range(ranks)],
                  backend)


def test_the_example_by_torchrun(backend):
    written, = finish([start([sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "4", "--master-addr",
                              "127.0.0.1", "--master-port", free_port(), EXAMPLE, backend])], backend)
    assert "4 ranks, 10504 parameters, 0 differ" in written and "step 100  loss 0." in written, written


def test_the_example_by_slurm(backend):
    """What srun sets for each task, and nothing else."""
    port = str(free_port())
    written = finish([start([sys.executable, EXAMPLE, backend], SLURM_PROCID=str(rank), SLURM_NTASKS="2",
                            SLURM_LOCALID=str(rank), MASTER_ADDR="127.0.0.1", MASTER_PORT=port) for rank in range(2)],
                     backend)
    assert "2 ranks, 10504 parameters, 0 differ" in written[0], written[0]


@pytest.mark.only_blink("it is PyTorch's own")
@pytest.mark.parametrize("autoload", ["0", "1"])
def test_no_import_is_needed(backend, tmp_path, autoload):
    """With autoload the entry point of torch.backends finds it, and without that of torch.distributed.backends."""
    text = """
        import sys, torch, torch.distributed as dist
        dist.init_process_group(sys.argv[1])
        tensor = torch.ones(3)
        dist.all_reduce(tensor)
        print("total", tensor[0].item(), dist.get_backend())
        dist.destroy_process_group()
        """
    for words in script(text, 2, backend, tmp_path, TORCH_DEVICE_BACKEND_AUTOLOAD=autoload):
        assert "total 2.0 blink" in words


@pytest.mark.only_blink("it is PyTorch's own")
def test_an_import_does_not_hurt(backend, tmp_path):
    text = """
        import blink_torch
        import sys, torch, torch.distributed as dist
        import blink_torch
        assert dist.is_backend_available("blink") and "blink" not in (
            dist.Backend.default_device_backend_map["cpu"], dist.Backend.default_device_backend_map["cuda"])
        dist.init_process_group("cpu:blink")
        tensor = torch.ones(3)
        dist.all_reduce(tensor)
        print("total", tensor[0].item())
        """
    for words in script(text, 2, backend, tmp_path):
        assert "total 2.0" in words


@pytest.mark.parametrize("ending", ["dist.destroy_process_group()", "pass", "group = None", "sys.exit(0)",
                                    "torch.distributed.distributed_c10d._world = None"])
def test_how_programs_end(backend, tmp_path, ending):
    """Tidily or not, with groups that nobody destroyed, and with calls that nobody waited for: exit code 0, no hang."""
    text = f"""
        import sys, torch, torch.distributed as dist
        dist.init_process_group(sys.argv[1])
        group = dist.new_group([0, 1])
        tensor = torch.ones(1000)
        work = dist.all_reduce(tensor, async_op=True)
        other = dist.all_reduce(tensor.clone(), group=group, async_op=True)
        future = work.get_future().then(lambda f: f.value()[0] + 1)
        work.wait()
        other.wait()
        print("total", tensor[0].item(), flush=True)
        dist.barrier()
        {ending}
        """
    for words in script(text, 2, backend, tmp_path):
        assert "total 2.0" in words


def test_a_rank_that_ends_while_others_go_on(backend, tmp_path):
    """A rank that has made all its calls may leave: what it has sent counts."""
    text = """
        import sys, torch, torch.distributed as dist
        dist.init_process_group(sys.argv[1])
        tensor = torch.full((100000,), 1.0)
        for _ in range(20):
            dist.broadcast(tensor, 0)
        print("done", flush=True)
        """
    for words in script(text, 3, backend, tmp_path):
        assert "done" in words


@pytest.mark.parametrize("context", ["spawn", "forkserver"])
def test_processes_that_are_not_forked(backend, context):
    assert run(add_up, 2, backend=backend, context=context) == [3.0, 3.0]


def add_up(rank):
    tensor = torch.tensor([rank + 1.0])
    dist.all_reduce(tensor)
    return tensor.item()


class Numbers(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        return torch.tensor([float(index)]), os.getpid()


@pytest.mark.parametrize("persistent", [False, True])
def test_loaders_that_fork(backend, persistent):
    """Workers are forked while the group lives and calls are under way; they use and disturb nothing of it."""
    def body(rank):
        dist.all_reduce(torch.ones(10))
        loader = DataLoader(Numbers(), batch_size=4, num_workers=2, multiprocessing_context="fork",
                            persistent_workers=persistent)
        for epoch in range(3):
            total = torch.zeros(1)
            work = dist.all_reduce(torch.ones(1_000_000), async_op=True)
            for values, pids in loader:
                assert os.getpid() not in pids.tolist()
                total += values.sum()
                dist.all_reduce(values.clone())
            work.wait()
            dist.all_reduce(total)
            assert total.item() == 2 * 31 * 16
    run(body, 2, backend=backend)


@pytest.mark.only_blink("gloo hangs or crashes")
def test_a_forked_child_is_told_that_the_group_is_its_parents(backend):
    def body(rank):
        dist.all_reduce(torch.ones(10))
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            try:
                dist.all_reduce(torch.ones(10))
                words = "passed"
            except Exception as error:
                words = f"{type(error).__name__}: {error}"
            os.write(writer, words.encode())
            os._exit(0)
        os.close(writer)
        words = b"".join(iter(lambda: os.read(reader, 4096), b"")).decode()
        os.waitpid(child, 0)
        total = torch.ones(2)  # the parent goes on
        dist.all_reduce(total)
        assert total.tolist() == [2, 2]
        return words
    for words in run(body, 2, backend=backend):
        assert words.startswith("DistBackendError") and "fork" in words, words


def test_the_parent_of_all_ranks_has_used_the_back_end(backend):
    """As a notebook does: a group of one, and then processes."""
    def body(rank):
        store = dist.HashStore()
        dist.init_process_group(backend, store=store, rank=0, world_size=1)
        dist.all_reduce(torch.ones(3))
        dist.destroy_process_group()
        return True

    def parent(rank, port):
        assert body(rank)
        return run(lambda inner: add_up(inner), 2, backend=backend)
    assert run(parent, 1, backend=None) == [[3.0, 3.0]]


def test_profiles_show_collectives_by_name(backend):
    def body(rank):
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True) as profile:
            dist.all_reduce(torch.ones(3, 5))
            dist.broadcast(torch.ones(7), 0)
        events = {event.name: event for event in profile.events()}
        assert f"{backend}:broadcast" in events, sorted(events)
        assert events[f"{backend}:all_reduce"].input_shapes == [[3, 5]]
    run(body, 2, backend=backend)
