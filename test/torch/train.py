#!/usr/bin/env python3
"""Trains a transformer and a CNN on scikit-learn's digits, with DDP and FSDP2, and compares what came out.

    test/torch/train.py                                    blink, 4 processes, 200 steps, all four trainings, twice each
    test/torch/train.py --backend gloo --steps 50
    test/torch/train.py --model cnn --parallel ddp --once

Each training prints loss, accuracy on the images it was not trained on, and a hash of all parameters' bits, which is
computed on every rank. It is run twice from the same seed in new processes. A training fails when its ranks' hashes
differ, when it did not learn (accuracy below 0.9 after 200 steps), or, with blink, when the two runs' hashes differ.
"""
import argparse
import json
import os
import pathlib
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor
from torch.nn.parallel import DistributedDataParallel

import jobs
import models

HELD_BACK = 297  # images to measure accuracy with


def shard(model):
    """FSDP2: each layer is a unit of its own, and the rest is one."""
    for layer in getattr(model, "layers", []):
        fully_shard(layer)
    if isinstance(model, models.Cnn):
        fully_shard(model.features)
    return fully_shard(model)


def whole(tensor):
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def train(rank, ranks, name, parallel, steps, seed):
    images, labels = models.digits()
    network = models.make(name, seed)
    network = DistributedDataParallel(network) if parallel == "ddp" else shard(network)
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3)
    loss_of = torch.nn.CrossEntropyLoss()
    began, loss = time.perf_counter(), None
    for inputs, targets in models.batches(images[HELD_BACK:], labels[HELD_BACK:], rank, ranks, 16, steps, seed):
        optimizer.zero_grad()
        loss = loss_of(network(inputs), targets)
        loss.backward()
        optimizer.step()
    seconds = time.perf_counter() - began
    mean = loss.detach().clone()
    dist.all_reduce(mean)
    # A batch norm's averages are each rank's own after a forward; DDP gives all of them rank 0's before the next one.
    network.eval()
    with torch.no_grad():
        right = (network(images[:HELD_BACK]).argmax(1) == labels[:HELD_BACK]).double().mean()
    dist.all_reduce(right)
    parameters = [whole(one.detach()) for one in network.parameters()]
    return {"loss": mean.item() / ranks, "accuracy": right.item() / ranks, "seconds": seconds,
            "hash": models.fingerprint(parameters),
            "state": models.fingerprint([whole(one["exp_avg"]) for one in optimizer.state.values()])}


def one(args, name, parallel):
    """One training, all runs of it. The row for the table, and what is wrong with it."""
    wrong, runs = [], []
    for _ in range(1 if args.once else 2):
        ranks = jobs.run(train, args.ranks, args.ranks, name, parallel, args.steps, args.seed, backend=args.backend,
                         timeout=args.timeout)
        runs.append(ranks[0])
        if len({rank["hash"] for rank in ranks}) > 1:
            wrong.append(f"the ranks' parameters differ: {[rank['hash'] for rank in ranks]}")
    if args.steps >= 200 and runs[0]["accuracy"] < 0.9:
        wrong.append(f"accuracy is {runs[0]['accuracy']:.3f}: it did not learn")
    repeated = None if args.once else all(runs[0][key] == runs[1][key] for key in ("hash", "state", "loss"))
    if repeated is False and args.backend == "blink":
        wrong.append(f"two runs from one seed differ: {runs[0]['hash']} and {runs[1]['hash']}")
    return {"model": name, "parallel": parallel, **runs[0], "seconds": [run["seconds"] for run in runs],
            "hashes": [run["hash"] for run in runs], "repeated": repeated, "wrong": wrong}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="blink", help="blink unless told")
    parser.add_argument("--model", choices=[*models.MODELS], action="append", help="repeatable; all unless told")
    parser.add_argument("--parallel", choices=["ddp", "fsdp2"], action="append", help="repeatable; all unless told")
    parser.add_argument("--ranks", type=int, default=4, help="4 unless told")
    parser.add_argument("--steps", type=int, default=200, help="200 unless told")
    parser.add_argument("--seed", type=int, default=1, help="1 unless told")
    parser.add_argument("--once", action="store_true", help="each training once, not twice")
    parser.add_argument("--timeout", type=float, default=600, help="seconds a training may take; 600 unless told")
    parser.add_argument("--json", type=pathlib.Path, help="also write the rows here")
    args = parser.parse_args()

    print(f"{args.backend}, {args.ranks} processes, {args.steps} steps, seed {args.seed}\n")
    print("| model | | loss | accuracy | seconds | parameters | ranks | two runs |\n|---|---|---|---|---|---|---|---|")
    rows = []
    for name in args.model or models.MODELS:
        for parallel in args.parallel or ["ddp", "fsdp2"]:
            row = one(args, name, parallel)
            rows.append(row)
            print(f"| {name} | {parallel} | {row['loss']:.4f} | {row['accuracy']:.3f} | {row['seconds'][0]:.1f} | "
                  f"{row['hash']} | {'differ' if any('ranks' in word for word in row['wrong']) else 'equal'} | "
                  f"{ {None: '-', True: 'equal', False: 'differ'}[row['repeated']]} |", flush=True)
    wrong = [f"{row['model']} {row['parallel']}: {sentence}" for row in rows for sentence in row["wrong"]]
    for sentence in wrong:
        print(f"train: {sentence}")
    if args.json:
        args.json.write_text(json.dumps({"backend": args.backend, "ranks": args.ranks, "steps": args.steps,
                                         "torch": torch.__version__, "rows": rows}, indent=2) + "\n")
    print(f"\ntrainings with {args.backend}: {sum(not row['wrong'] for row in rows)} passed, "
          f"{sum(bool(row['wrong']) for row in rows)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
