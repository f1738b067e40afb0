"""One rank of tools/bench-cluster-torch: trains under DistributedDataParallel over gloo and over Blink, by turns.

    ddp.py MODEL STEPS NICS    in an environment such as torchrun's; rank 0 prints a line "result {...}"
"""
import faulthandler
import json
import os
import pathlib
import socket
import statistics
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "test" / "torch"))

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

import models

NETWORKS = {"cnn": {"width": 48}, "transformer": {"width": 128, "layers": 4}}
BATCH = 4  # images per rank
WARM = 3  # steps before the timed ones
SECONDS = 280  # after this time a rank counts as hung and prints where it is


def join(rank, ranks):
    """The default group, which barriers are of; by a socket of IPv4, since of others the store asks for names."""
    address, port = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
    listener = socket.create_server((address, port)) if rank == 0 else None
    store = dist.TCPStore(address, port, is_master=rank == 0, wait_for_workers=False,
                          **({"master_listen_fd": listener.detach()} if listener else {}))
    dist.init_process_group("gloo", store=store, rank=rank, world_size=ranks)


def groups(nics):
    """Name -> group. Of several NICs gloo has one, or gives its calls to all of them in turn."""
    made = {"gloo": dist.new_group(backend="gloo"), "blink": dist.new_group(backend="blink")}
    if nics > 1:
        os.environ["GLOO_SOCKET_IFNAME"] = ",".join(f"eth{i}" for i in range(nics))
        made["gloo on all NICs"] = dist.new_group(backend="gloo")
    return made


def batch(step, rank):
    generator = torch.Generator().manual_seed(1000 * step + rank)
    return torch.rand(BATCH, 64, generator=generator), torch.randint(10, (BATCH,), generator=generator)


class Training:
    """One network; without a group, of this rank alone."""

    def __init__(self, name, group):
        network = models.make(name, **NETWORKS[name])
        self.model = DistributedDataParallel(network, process_group=group) if group else network
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)

    def step(self, inputs, targets):
        self.optimizer.zero_grad()
        nn.functional.cross_entropy(self.model(inputs), targets).backward()
        self.optimizer.step()

    def fingerprint(self):
        return models.fingerprint(self.model.parameters())


def main(name, steps, nics):
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    torch.set_num_threads(1)
    rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    join(rank, ranks)
    trainings = {back_end: Training(name, group) for back_end, group in groups(nics).items()}
    trainings["alone"] = Training(name, None)
    seconds = {one: [] for one in trainings}
    for step in range(WARM + steps):
        inputs, targets = batch(step, rank)
        for one in list(trainings) if step % 2 == 0 else reversed(trainings):
            dist.barrier()
            began = time.perf_counter()
            trainings[one].step(inputs, targets)
            seconds[one].append(time.perf_counter() - began)
    hashes = [None] * ranks
    dist.all_gather_object(hashes, {one: training.fingerprint() for one, training in trainings.items()})
    result = {"bytes": 4 * sum(one.numel() for one in trainings["alone"].model.parameters()), "steps_us": {},
              "parameters": {one: sorted({mine[one] for mine in hashes}) for one in trainings if one != "alone"}}
    for one, mine in seconds.items():
        slowest = torch.tensor(mine[WARM:], dtype=torch.float64)
        dist.all_reduce(slowest, dist.ReduceOp.MAX)
        result["steps_us"][one] = [round(1e6 * value) for value in slowest.tolist()]
    if rank == 0:
        medians = {one: statistics.median(values) for one, values in result["steps_us"].items()}
        print("result", json.dumps({**result, "step_us": medians}), flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
