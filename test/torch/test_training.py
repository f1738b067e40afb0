"""Trainings of every kind against one process that has all the data."""

import copy

import pytest
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as checkpoint
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from torch.distributed.algorithms.join import Join
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

from jobs import failure_of, run
from models import fingerprint, make

RANKS = 2
STEPS = 4


def whole(tensor):
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


class Branches(nn.Module):
    """Leaves out one of its layers in turn, so that some parameters get no gradients."""

    def __init__(self):
        super().__init__()
        self.first, self.left, self.right = nn.Linear(8, 8), nn.Linear(8, 4), nn.Linear(8, 4)

    def forward(self, inputs, left=True):
        return (self.left if left else self.right)(self.first(inputs).relu())


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(8, 32), nn.Linear(32, 4)

    def forward(self, inputs):
        return self.down(self.up(inputs).relu())


def data(steps=STEPS, rows=16):
    generator = torch.Generator().manual_seed(5)
    return [(torch.randn(rows, 8, generator=generator), torch.randn(rows, 4, generator=generator))
            for _ in range(steps)]


def fit(model, rank=None, optimizer=None, ranks=RANKS, **arguments):
    """A few steps on this rank's rows, or on all of them; the parameters after."""
    optimizer = optimizer or torch.optim.SGD(model.parameters(), lr=0.1)
    for inputs, targets in data():
        if rank is not None:
            inputs, targets = inputs.chunk(ranks)[rank], targets.chunk(ranks)[rank]
        optimizer.zero_grad()
        nn.functional.mse_loss(model(inputs, **arguments), targets).backward()
        optimizer.step()
    return [whole(parameter.detach()).clone() for parameter in model.parameters()]


def alone(model):
    return fit(copy.deepcopy(model))


def close(found, expected, tolerance=1e-5):
    for one, other in zip(found, expected, strict=True):
        assert torch.allclose(one.float(), other, atol=tolerance), (one - other).abs().max()


def equal_on_all_ranks(parameters):
    found = [None] * dist.get_world_size()
    dist.all_gather_object(found, fingerprint(parameters))
    assert len(set(found)) == 1, found


@pytest.mark.parametrize("settings", [{}, {"static_graph": True}, {"find_unused_parameters": True},
                                      {"gradient_as_bucket_view": True}, {"bucket_cap_mb": 0.0001}],
                         ids=lambda settings: next(iter(settings), "as it is"))
def test_ddp(backend, settings):
    def body(rank):
        torch.manual_seed(rank)  # DDP gives every rank rank 0's parameters
        model = Mlp()
        torch.manual_seed(0)
        expected = alone(Mlp())
        found = fit(DistributedDataParallel(model, **settings), rank)
        close(found, expected)
        equal_on_all_ranks(found)
    run(body, RANKS, backend=backend)


def test_ddp_with_parameters_that_are_unused(backend):
    def body(rank):
        torch.manual_seed(0)
        model = DistributedDataParallel(Branches(), find_unused_parameters=True)
        for left in (True, False):
            found = fit(model, rank, left=left if rank else not left)
        equal_on_all_ranks(found)
    run(body, RANKS, backend=backend)


def test_ddp_with_batch_norm_and_channels_last(backend):
    def body(rank):
        model = make("cnn", width=4).to(memory_format=torch.channels_last)
        model = DistributedDataParallel(model)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(STEPS):
            optimizer.zero_grad()
            model(torch.randn(4, 64, generator=torch.Generator().manual_seed(10 * step + rank))).sum().backward()
            optimizer.step()
        equal_on_all_ranks(list(model.parameters()))
        with torch.no_grad():
            model(torch.zeros(4, 64))  # broadcasts the buffers of rank 0
    run(body, RANKS, backend=backend)


def test_ddp_that_accumulates(backend):
    def body(rank):
        torch.manual_seed(0)
        model = DistributedDataParallel(Mlp())
        rows = torch.randn(8, 8, generator=torch.Generator().manual_seed(rank))
        with model.no_sync():
            model(rows).sum().backward()
        model(rows).sum().backward()
        gradients = [parameter.grad for parameter in model.parameters()]
        equal_on_all_ranks(gradients)
        torch.manual_seed(0)
        reference = Mlp()
        for other in range(RANKS):
            rows = torch.randn(8, 8, generator=torch.Generator().manual_seed(other))
            reference(rows).sum().mul(2 / RANKS).backward()
        close(gradients, [parameter.grad for parameter in reference.parameters()])
    run(body, RANKS, backend=backend)


@pytest.mark.parametrize("name", ["fp16", "bf16", "allreduce", "powersgd"])
def test_ddps_hooks(backend, name):
    def body(rank):
        torch.manual_seed(0)
        expected = alone(Mlp())
        torch.manual_seed(0)
        model = DistributedDataParallel(Mlp())
        if name == "powersgd":
            state = powerSGD_hook.PowerSGDState(None, matrix_approximation_rank=2, start_powerSGD_iter=2,
                                                min_compression_rate=0.5)
            model.register_comm_hook(state, powerSGD_hook.powerSGD_hook)  # (the batched one cannot run in 2.15)
        else:
            model.register_comm_hook(None, {"fp16": default_hooks.fp16_compress_hook,
                                            "bf16": default_hooks.bf16_compress_hook,
                                            "allreduce": default_hooks.allreduce_hook}[name])
        for _ in range(2):
            found = fit(model, rank)
        equal_on_all_ranks(found)
        if name == "allreduce":
            torch.manual_seed(0)
            twice = Mlp()
            fit(twice)
            close(found, fit(twice))
        assert all(one.isfinite().all() for one in found) and len(found) == len(expected)
    run(body, RANKS, backend=backend)


def test_ddp_with_uneven_numbers_of_batches(backend):
    """join(): ranks that have run out answer the others' calls until all have."""
    def body(rank):
        torch.manual_seed(0)
        model = DistributedDataParallel(Mlp())
        optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.1)
        steps = 0
        with Join([model, optimizer]):
            for inputs, targets in data(3 + 2 * rank):
                optimizer.zero_grad()
                nn.functional.mse_loss(model(inputs), targets).backward()
                optimizer.step()
                steps += 1
        assert steps == 3 + 2 * rank
        equal_on_all_ranks(list(model.parameters()))
    run(body, RANKS, backend=backend)


def test_optimizers_state_in_parts(backend):
    def body(rank):
        torch.manual_seed(0)
        expected = fit(copy.deepcopy(model := Mlp()), optimizer=None)
        model = DistributedDataParallel(model)
        optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.1)
        found = fit(model, rank, optimizer)
        close(found, expected)
        optimizer.consolidate_state_dict(to=0)
    run(body, RANKS, backend=backend)


def test_sync_of_module_states_and_shapes(backend):
    def body(rank):
        from torch.distributed.utils import _verify_param_shape_across_processes
        _verify_param_shape_across_processes(dist.group.WORLD, list(Mlp().parameters()))
        if rank == 0:  # the others compare with what rank 0 tells them
            failure_of(lambda: DistributedDataParallel(nn.Linear(4, 4)))
        else:
            with pytest.raises(RuntimeError):
                DistributedDataParallel(nn.Linear(5, 4))
    run(body, RANKS, backend=backend)


@pytest.mark.parametrize("strategy", ["FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD", "HYBRID_SHARD"])
def test_fsdp1(backend, strategy):
    def body(rank):
        from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy

        torch.manual_seed(0)
        model = Mlp()
        expected = alone(model)
        settings = {"sharding_strategy": ShardingStrategy[strategy], "device_id": torch.device("cpu")}
        ranks = RANKS
        if strategy == "HYBRID_SHARD":
            ranks = 4
            settings["device_mesh"] = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))
        model = FullyShardedDataParallel(model, **settings)
        fit(model, rank, torch.optim.SGD(model.parameters(), lr=0.1), ranks)
        norm = model.clip_grad_norm_(1.0)
        assert norm.isfinite()
        with FullyShardedDataParallel.summon_full_params(model):
            close([parameter.detach().clone().reshape(-1) for parameter in model.parameters()],
                  [one.reshape(-1) for one in expected])
    run(body, 4 if strategy == "HYBRID_SHARD" else RANKS, backend=backend)


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_fsdp2(backend, ranks):
    def body(rank):
        torch.manual_seed(0)
        model = Mlp()
        expected = [one for one in fit(copy.deepcopy(model))]
        fully_shard(model.up)
        fully_shard(model.down)
        fully_shard(model)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for inputs, targets in data(rows=16):
            # 16 rows are not a multiple of 3: each rank's mean counts by its rows
            rows = inputs.tensor_split(ranks)[rank]
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(rows), targets.tensor_split(ranks)[rank])
            (loss * len(rows) * ranks / 16).backward()
            optimizer.step()
        close([whole(parameter.detach()) for parameter in model.parameters()], expected)
        assert torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).full_tensor().isfinite()
    run(body, ranks, backend=backend)


@pytest.mark.parametrize("reduce_dtype", [torch.float32, torch.bfloat16])
def test_fsdp2_with_mixed_precision(backend, reduce_dtype):
    def body(rank):
        torch.manual_seed(0)
        expected = alone(model := Mlp())
        policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=reduce_dtype)
        fully_shard(model.up, mp_policy=policy)
        fully_shard(model, mp_policy=policy)
        close(fit(model, rank), expected, 0.05)
    run(body, RANKS, backend=backend)


@pytest.mark.only_blink("PREMUL_SUM on the CPU")
def test_fsdp2_with_a_divide_factor(backend):
    def body(rank):
        torch.manual_seed(0)
        expected = alone(model := Mlp())
        fully_shard(model)
        model.set_gradient_divide_factor(float(RANKS))
        if hasattr(model, "set_force_sum_reduction_for_comms"):
            model.set_force_sum_reduction_for_comms(False)
        close(fit(model, rank), expected)
    run(body, RANKS, backend=backend)


def test_hybrid_sharding(backend):
    def body(rank):
        torch.manual_seed(0)
        expected = alone(model := Mlp())
        mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))
        fully_shard(model.up, mesh=mesh)
        fully_shard(model, mesh=mesh)
        close(fit(model, rank, ranks=4), expected)
    run(body, 4, backend=backend)


def test_tensor_parallel(backend):
    def body(rank):
        mesh = init_device_mesh("cpu", (RANKS,))
        torch.manual_seed(0)
        model = Mlp()
        expected = alone(model)
        model = parallelize_module(model, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
        close(fit(model), expected, 1e-4)
    run(body, RANKS, backend=backend)


def test_tensor_parallel_and_fsdp2(backend):
    def body(rank):
        mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("data", "model"))
        torch.manual_seed(0)
        model = Mlp()
        expected = alone(model)
        parallelize_module(model, mesh["model"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
        fully_shard(model, mesh=mesh["data"])
        close(fit(model, rank // 2, ranks=2), expected, 1e-4)
    run(body, 4, backend=backend)


@pytest.mark.parametrize("schedule", ["ScheduleGPipe", "Schedule1F1B"])
def test_pipeline(backend, schedule):
    def body(rank):
        from torch.distributed import pipelining

        torch.manual_seed(0)
        layers = [nn.Sequential(nn.Linear(8, 8), nn.Tanh()), nn.Sequential(nn.Linear(8, 8), nn.Tanh()), nn.Linear(8, 4)]
        inputs, targets = data(1)[0]
        reference = copy.deepcopy(nn.Sequential(*layers))
        loss = nn.functional.mse_loss(reference(inputs), targets)
        loss.backward()
        stage = pipelining.PipelineStage(layers[rank], rank, 3, torch.device("cpu"))
        plan = getattr(pipelining, schedule)(stage, n_microbatches=4, loss_fn=nn.functional.mse_loss)
        losses = []
        if rank == 0:
            plan.step(inputs)
        elif rank == 2:
            output = plan.step(target=targets, losses=losses)
            assert torch.allclose(output, reference(inputs), atol=1e-5)
            assert torch.allclose(torch.stack(losses).mean(), loss, atol=1e-5)
        else:
            plan.step()
        close([parameter.grad for parameter in layers[rank].parameters()],
              [parameter.grad for parameter in reference[rank].parameters()])
    run(body, 3, backend=backend)


def test_checkpoint(backend, tmp_path):
    def body(rank):
        torch.manual_seed(0)
        model = fully_shard(Mlp())
        optimizer = torch.optim.Adam(model.parameters())
        fit(model, rank, optimizer)
        from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict

        weights, state = get_state_dict(model, optimizer)
        checkpoint.save({"model": weights, "optimizer": state}, checkpoint_id=tmp_path / "saved")
        torch.manual_seed(1)
        other = fully_shard(Mlp())
        other_optimizer = torch.optim.Adam(other.parameters())
        weights, state = get_state_dict(other, other_optimizer)
        checkpoint.load({"model": weights, "optimizer": state}, checkpoint_id=tmp_path / "saved")
        set_state_dict(other, other_optimizer, model_state_dict=weights, optim_state_dict=state)
        assert fingerprint([whole(one) for one in other.parameters()]) == \
            fingerprint([whole(one) for one in model.parameters()])
        assert fingerprint(fit(other, rank, other_optimizer)) == fingerprint(fit(model, rank, optimizer))
        future = checkpoint.async_save({"model": other.state_dict()}, checkpoint_id=tmp_path / "later",
                                       process_group=dist.new_group())  # its thread's own
        dist.all_reduce(torch.ones(10))
        future.result()
    run(body, RANKS, backend=backend)


def test_compiled_ddp(backend):
    def body(rank):
        torch.manual_seed(0)
        expected = alone(model := Mlp())
        model = torch.compile(DistributedDataParallel(model), backend="aot_eager")
        found = fit(model, rank)
        close(found, expected)
        equal_on_all_ranks(found)
    run(body, RANKS, backend=backend, timeout=300)


def test_compiled_fsdp2(backend):
    def body(rank):
        torch.manual_seed(0)
        expected = alone(model := Mlp())
        model.up.compile(backend="aot_eager")
        fully_shard(model.up)
        fully_shard(model)
        close(fit(model, rank), expected)
    run(body, RANKS, backend=backend, timeout=300)
