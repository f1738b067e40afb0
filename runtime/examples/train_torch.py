"""Trains with PyTorch's DistributedDataParallel over Blink, on GPUs if there are any, otherwise on the CPU.

With torchrun, four processes on this machine:

    torchrun --nproc-per-node 4 runtime/examples/train_torch.py

With Slurm, each rank sees all GPUs of its node and uses the one with its local rank. With GPUs, all ranks must be on
one node; on the CPU, several nodes need schedules in BLINK_HOST_SCHEDULES (docs/clusters.md, "Starting jobs"):

    export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -1) MASTER_PORT=29500
    srun --ntasks 4 python runtime/examples/train_torch.py

For a comparison, append the name of another back end: `train_torch.py gloo`.
"""

import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def join(backend):
    """Creates the default group of the processes that torchrun or Slurm has started. Returns the device of this one."""
    if "RANK" not in os.environ:  # set by torchrun, while srun sets the following
        os.environ.update(RANK=os.environ["SLURM_PROCID"], WORLD_SIZE=os.environ["SLURM_NTASKS"],
                          LOCAL_RANK=os.environ["SLURM_LOCALID"])
    device = torch.device("cpu")
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
    dist.init_process_group(backend)  # found by its name, as `pip install` has registered it
    return device


def main(backend="blink"):
    device = join(backend)
    rank, ranks = dist.get_rank(), dist.get_world_size()

    # What is to be learned: the answers of a network whose weights nobody is told.
    torch.manual_seed(0)
    teacher = nn.Sequential(nn.Linear(32, 64), nn.Tanh(), nn.Linear(64, 8)).to(device)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(32, 256), nn.ReLU(), nn.Linear(256, 8)).to(device))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)

    torch.manual_seed(1 + rank)  # from here on, data of this rank's own
    for step in range(1, 101):
        inputs = torch.randn(64, 32, device=device)
        loss = nn.functional.mse_loss(model(inputs), teacher(inputs).detach())
        optimizer.zero_grad()
        loss.backward()  # adds the ranks' gradients up, layer by layer, while it goes on
        optimizer.step()
        if step % 25 == 0:
            mean = loss.detach()
            dist.all_reduce(mean)
            if rank == 0:
                print(f"step {step:3}  loss {mean.item() / ranks:.4f}", flush=True)

    # Sums have the same bits on every rank, and so have the parameters.
    mine = nn.utils.parameters_to_vector(model.parameters()).detach()
    first = mine.clone()
    dist.broadcast(first, 0)
    differing = (mine != first).sum()
    dist.all_reduce(differing)
    if rank == 0:
        print(f"{ranks} ranks, {mine.numel()} parameters, {differing.item()} differ")
    dist.destroy_process_group()
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
