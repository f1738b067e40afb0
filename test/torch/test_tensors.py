"""Tensors as programs have them: not contiguous, of no elements, of many dimensions, parts of others."""

import pytest
import torch
import torch.distributed as dist

from jobs import run
from test_collectives import part, same


def strided(kind, rank):
    """A tensor whose elements do not lie one after the other, and the memory around it."""
    base = torch.full((8, 6), 100.0)
    view = {"transposed": lambda: base.t(), "every second": lambda: base[::2], "columns": lambda: base[:, 1:3],
            "channels last": lambda: torch.full((2, 3, 4, 5), 100.0).to(memory_format=torch.channels_last),
            "reversed steps": lambda: base.as_strided((3, 4), (1, 6))}[kind]()
    view.copy_(part(rank, view.numel(), torch.float32).reshape(view.shape))
    return view, base


KINDS = ["transposed", "every second", "columns", "channels last", "reversed steps"]


@pytest.mark.only_blink("gloo refuses what is not contiguous")
@pytest.mark.parametrize("kind", KINDS)
def test_not_contiguous(backend, kind):
    def body(rank):
        def expected(ranks=range(3)):
            return sum(strided(kind, other)[0] for other in ranks)

        view, base = strided(kind, rank)
        dist.all_reduce(view)
        same(view, expected())
        assert (base == 100).sum() == (base.numel() - view.numel() if kind != "channels last" else base.numel())
        view, _ = strided(kind, rank)
        dist.broadcast(view, 1)
        same(view, strided(kind, 1)[0])
        view, _ = strided(kind, rank)
        dist.reduce(view, 2)
        same(view, expected() if rank == 2 else strided(kind, rank)[0])
        found = [strided(kind, 9)[0] for _ in range(3)]
        dist.all_gather(found, strided(kind, rank)[0])
        for other in range(3):
            same(found[other], strided(kind, other)[0])
        if rank == 0:
            dist.gather(strided(kind, rank)[0], found, 0)
        else:
            dist.gather(strided(kind, rank)[0], None, 0)
        view, _ = strided(kind, 9)
        dist.scatter(view, [strided(kind, other)[0] for other in range(3)] if rank == 1 else None, 1)
        same(view, strided(kind, rank)[0])
        view, _ = strided(kind, 9)
        dist.reduce_scatter(view, [strided(kind, rank)[0] for _ in range(3)])
        same(view, expected())
        found = [strided(kind, 9)[0] for _ in range(3)]
        dist.all_to_all(found, [strided(kind, rank + other)[0] for other in range(3)])
        for other in range(3):
            same(found[other], strided(kind, other + rank)[0])
    run(body, 3, backend=backend)


@pytest.mark.only_blink("gloo refuses what is not contiguous")
def test_a_list_of_columns_of_one_matrix(backend):
    """What pieces of one buffer look like that is gathered into."""
    def body(rank):
        matrix = torch.zeros(4, 3)
        dist.all_gather(list(matrix.unbind(1)), torch.full((4,), rank + 1.0))
        same(matrix, torch.tensor([[1.0, 2, 3]] * 4))
    run(body, 3, backend=backend)


def test_rows_of_one_matrix(backend):
    def body(rank):
        matrix = torch.zeros(3, 4)
        dist.all_gather(list(matrix.unbind(0)), torch.full((4,), rank + 1.0))
        same(matrix, torch.tensor([[1.0] * 4, [2.0] * 4, [3.0] * 4]))
        mine = torch.zeros(4)
        dist.scatter(mine, list(matrix.unbind(0)) if rank == 0 else None, 0)
        same(mine, matrix[rank])
    run(body, 3, backend=backend)


@pytest.mark.only_blink("gloo's own ways with nothing")
def test_no_elements(backend):
    def body(rank):
        for shape in ((0,), (3, 0, 2)):
            empty = torch.empty(shape)
            dist.all_reduce(empty)
            dist.broadcast(empty, 0)
            dist.reduce(empty, 1)
            dist.all_gather([torch.empty(shape) for _ in range(3)], empty)
            dist.gather(empty, [torch.empty(shape) for _ in range(3)] if rank == 0 else None, 0)
            dist.scatter(empty, [torch.empty(shape) for _ in range(3)] if rank == 0 else None, 0)
            dist.reduce_scatter(empty, [torch.empty(shape) for _ in range(3)])
            dist.all_to_all([torch.empty(shape) for _ in range(3)], [torch.empty(shape) for _ in range(3)])
            assert empty.shape == shape
        dist.all_gather_into_tensor(torch.empty(0), torch.empty(0))
        dist.reduce_scatter_tensor(torch.empty(0), torch.empty(0))
        dist.all_to_all_single(torch.empty(0), torch.empty(0))
        if rank == 0:
            dist.send(torch.empty(0), 1)
        elif rank == 1:
            dist.recv(torch.empty(0), 0)
        work = dist.all_reduce(torch.empty(0), async_op=True)
        work.wait()
        assert work.is_completed()
        total = torch.ones(2)  # and the calls after it still fit
        dist.all_reduce(total)
        assert total.tolist() == [3, 3]
    run(body, 3, backend=backend)


def test_scalars_and_parts_of_a_larger_buffer(backend):
    def body(rank):
        scalar = torch.tensor(rank + 1.0)
        dist.all_reduce(scalar)
        assert scalar.item() == 6 and scalar.shape == ()
        buffer = torch.zeros(103)
        piece = buffer[3:53]  # not aligned to anything
        piece.fill_(rank)
        dist.all_reduce(piece)
        assert buffer[:3].tolist() == [0] * 3 and buffer[53:].tolist() == [0] * 50 and piece.tolist() == [3] * 50
        words = torch.zeros(11, dtype=torch.int8)
        dist.all_reduce(words[1:10].fill_(1))
        assert words.tolist() == [0, *[3] * 9, 0]
    run(body, 3, backend=backend)


def test_tensors_that_need_gradients(backend):
    def body(rank):
        leaf = torch.full((4,), float(rank), requires_grad=True)
        with torch.no_grad():
            dist.all_reduce(leaf)
        assert leaf.tolist() == [1] * 4
        dist.all_reduce(leaf.detach())
        assert leaf.tolist() == [2] * 4
        with torch.inference_mode():
            inferred = torch.ones(3)
            dist.all_reduce(inferred)
            assert inferred.tolist() == [2] * 3
    run(body, 2, backend=backend)


def test_a_tensor_that_is_dropped_before_its_call_has_ended(backend):
    def body(rank):
        works = [dist.all_reduce(torch.ones(100_000), async_op=True) for _ in range(20)]
        junk = [torch.full((100_000,), 7.0) for _ in range(20)]  # takes the memory, were it free
        for work in works:
            work.wait()
        assert all((one == 7).all() for one in junk)
        found = torch.empty(100_000 * 2)
        work = dist.all_gather_into_tensor(found, torch.full((100_000,), rank + 1.0), async_op=True)
        torch.full((100_000,), 9.0)
        work.wait()
        assert found[0] == 1 and found[-1] == 2
    run(body, 2, backend=backend)
