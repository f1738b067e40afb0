"""Functional collectives, compiled programs, and DTensor: the same calls by other ways."""

import pytest
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

from jobs import run
from test_collectives import same


def test_functional_collectives(backend):
    def body(rank):
        group = dist.group.WORLD
        mine = torch.full((6,), rank + 1.0)
        same(functional.all_reduce(mine, "sum", group) + 0, torch.full((6,), 6.0))
        same(functional.all_reduce(mine, "max", group) + 0, torch.full((6,), 3.0))
        same(mine, torch.full((6,), rank + 1.0))  # the input is as it was
        same(functional.all_gather_tensor(mine.reshape(2, 3), 0, group) + 0,
             torch.cat([torch.full((2, 3), other + 1.0) for other in range(3)]))
        same(functional.all_gather_tensor(mine.reshape(2, 3), 1, group) + 0,
             torch.cat([torch.full((2, 3), other + 1.0) for other in range(3)], 1))
        same(functional.reduce_scatter_tensor(mine, "sum", 0, group) + 0, torch.full((2,), 6.0))
        same(functional.broadcast(mine, 1, group) + 0, torch.full((6,), 2.0))
        splits_out, splits_in = [rank + 1] * 3, [1, 2, 3]
        same(functional.all_to_all_single(mine, splits_out, splits_in, group) + 0,
             torch.cat([torch.full((rank + 1,), other + 1.0) for other in range(3)]))
        same(functional.permute_tensor(mine, [1, 2, 0], group) + 0, torch.full((6,), (rank + 2) % 3 + 1.0))
        pair = functional.all_reduce_coalesced([mine, 2 * mine], "sum", group)
        same(pair[0] + 0, torch.full((6,), 6.0))
        same(pair[1] + 0, torch.full((6,), 12.0))
        wholes = functional.all_gather_into_tensor_coalesced([mine, mine[:1]], group)
        assert wholes[0].shape == (18,) and (wholes[1] + 0).tolist() == [1, 2, 3]
        parts = functional.reduce_scatter_tensor_coalesced([mine, torch.ones(3)], "sum", [0, 0], group)
        assert (parts[0] + 0).tolist() == [6, 6] and (parts[1] + 0).tolist() == [3]
    run(body, 3, backend=backend)


@pytest.mark.only_blink("AVG on the CPU")
def test_functional_average(backend):
    def body(rank):
        mine = torch.full((6,), 2.0 * rank)
        same(functional.all_reduce(mine, "avg", dist.group.WORLD) + 0, torch.full((6,), 2.0))
        same(functional.reduce_scatter_tensor(mine, "avg", 0, dist.group.WORLD) + 0, torch.full((2,), 2.0))
    run(body, 3, backend=backend)


def test_gradients_of_collectives(backend):
    from torch.distributed import nn

    def body(rank):
        mine = torch.full((4,), rank + 1.0, requires_grad=True)
        (nn.functional.all_reduce(mine).sum() * (rank + 1)).backward()
        assert mine.grad.tolist() == [3] * 4
        mine.grad = None
        whole = functional.all_gather_tensor_autograd(mine, 0, dist.group.WORLD)
        (whole * (rank + 1)).sum().backward()
        assert mine.grad.tolist() == [3] * 4
        mine.grad = None
        part = functional.reduce_scatter_tensor_autograd(mine, "sum", 0, dist.group.WORLD)
        (part * (rank + 1)).sum().backward()
        assert mine.grad.tolist() == [1, 1, 2, 2]
        mine.grad = None
        exchanged = functional.all_to_all_single_autograd(mine, [2, 2], [2, 2], dist.group.WORLD)
        (exchanged * (rank + 1)).sum().backward()
        assert mine.grad.tolist() == [1, 1, 2, 2]
    run(body, 2, backend=backend)


def test_compiled(backend):
    def body(rank):
        def step(tensor):
            total = functional.all_reduce(tensor * 2, "sum", dist.group.WORLD)
            whole = functional.all_gather_tensor(total + 1, 0, dist.group.WORLD)
            return functional.reduce_scatter_tensor(whole, "sum", 0, dist.group.WORLD).relu()

        def in_place(tensor):
            tensor = tensor * 2
            dist.all_reduce(tensor)
            return tensor + 1

        mine = torch.full((4,), rank + 1.0)
        same(torch.compile(step, backend="aot_eager", fullgraph=True)(mine), step(mine) + 0)
        same(step(mine) + 0, torch.full((4,), 14.0))
        same(torch.compile(in_place, backend="aot_eager", fullgraph=True)(mine), torch.full((4,), 7.0))
    run(body, 2, backend=backend, timeout=300)


def test_dtensor(backend):
    def body(rank):
        mesh = init_device_mesh("cpu", (4,))
        torch.manual_seed(1)
        whole = torch.randn(8, 12)
        for placement in (Shard(0), Shard(1), Replicate()):
            tensor = distribute_tensor(whole, mesh, [placement])
            for other in (Shard(1), Shard(0), Replicate()):
                same(tensor.redistribute(mesh, [other]).full_tensor(), whole)
        uneven = torch.randn(7, 3)
        same(distribute_tensor(uneven, mesh, [Shard(0)]).full_tensor(), uneven)
        partial = DTensor.from_local(torch.full((8, 4), rank + 1.0), mesh, [Partial()])
        same(partial.redistribute(mesh, [Replicate()]).to_local(), torch.full((8, 4), 10.0))
        same(partial.redistribute(mesh, [Shard(0)]).to_local(), torch.full((2, 4), 10.0))
        left, right = torch.randn(8, 12), torch.randn(12, 16)
        for first, second in ((Shard(0), Replicate()), (Shard(1), Shard(0)), (Replicate(), Shard(1))):
            product = distribute_tensor(left, mesh, [first]) @ distribute_tensor(right, mesh, [second])
            assert torch.allclose(product.full_tensor(), left @ right, atol=1e-4)
    run(body, 4, backend=backend)


def test_a_mesh_of_two_dimensions(backend):
    def body(rank):
        mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("data", "model"))
        data, model = mesh.get_group("data"), mesh.get_group("model")
        total = torch.tensor([float(rank)])
        dist.all_reduce(total, group=model)
        assert total.item() == (1 if rank < 2 else 5)
        dist.all_reduce(total, group=data)
        assert total.item() == 6
        tensor = distribute_tensor(torch.arange(16.0).reshape(4, 4), mesh, [Shard(0), Shard(1)])
        same(tensor.to_local(), torch.arange(16.0).reshape(4, 4)[rank // 2 * 2:rank // 2 * 2 + 2,
                                                                rank % 2 * 2:rank % 2 * 2 + 2])
        same(tensor.full_tensor(), torch.arange(16.0).reshape(4, 4))
    run(body, 4, backend=backend)
