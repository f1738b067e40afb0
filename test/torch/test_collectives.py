"""Every collective, type and operator against a plain computation."""

import itertools

import pytest
import torch
import torch.distributed as dist

from jobs import failure_of, run

FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
INTEGERS = [torch.int8, torch.uint8, torch.int32, torch.int64]
COMPLEX = [torch.complex64, torch.complex128]
FLOAT8 = [torch.float8_e4m3fn, torch.float8_e5m2]
MOVED = [*FLOATS, *INTEGERS, torch.int16, torch.bool, *COMPLEX, *FLOAT8, torch.uint16, torch.uint32, torch.uint64]
# Types that gloo refuses; what it is refused for is no reason to test less of blink.
GLOO_REFUSES = {torch.int16, torch.uint16, torch.uint32, torch.uint64, *FLOAT8}
OPERATORS = ["SUM", "PRODUCT", "MIN", "MAX", "AVG", "BAND", "BOR", "BXOR"]
RANKS = [2, 3, 4]


def part(rank, count, dtype, seed=0):
    """A rank's numbers: small, so that their sums and products are exact in every type."""
    generator = torch.Generator().manual_seed(1000 * seed + rank)
    if dtype == torch.bool:
        return torch.randint(0, 2, (count,), generator=generator, dtype=torch.uint8).bool()
    if dtype.is_complex:
        numbers = torch.randint(1, 3, (2, count), generator=generator)
        return torch.complex(numbers[0].double(), numbers[1].double()).to(dtype)
    return torch.randint(1, 3, (count,), generator=generator).to(dtype)


def reduced(parts, op):
    """What a reduction of the ranks' tensors gives, computed one by one in a type that holds it."""
    dtype = parts[0].dtype
    if dtype == torch.bool:
        fold = {"SUM": torch.logical_or, "MAX": torch.logical_or, "BOR": torch.logical_or, "BXOR": torch.logical_xor,
                "PRODUCT": torch.logical_and, "MIN": torch.logical_and, "BAND": torch.logical_and}[op]
        wide = parts
    else:
        fold = {"SUM": torch.add, "AVG": torch.add, "PRODUCT": torch.mul, "MIN": torch.minimum, "MAX": torch.maximum,
                "BAND": torch.bitwise_and, "BOR": torch.bitwise_or, "BXOR": torch.bitwise_xor}[op]
        wide = [part.to(torch.complex128 if dtype.is_complex else torch.float64 if dtype.is_floating_point
                        else torch.int64) for part in parts]
    value = wide[0]
    for other in wide[1:]:
        value = fold(value, other)
    if op == "AVG" and dtype.is_complex:  # each part by itself
        value = torch.view_as_complex(torch.view_as_real(value) / len(parts))
    elif op == "AVG":
        value = value / len(parts) if dtype.is_floating_point else value // len(parts)
    return value.to(dtype)


def same(found, expected):
    assert found.dtype == expected.dtype and found.shape == expected.shape
    if found.dtype in FLOAT8:
        found, expected = found.view(torch.uint8), expected.view(torch.uint8)
    assert torch.equal(found, expected), f"{found.flatten()[:8]} is not {expected.flatten()[:8]}"


def reductions(backend):
    """Operators with the types they have."""
    for op, dtype in itertools.product(OPERATORS, [*FLOATS, *INTEGERS, torch.bool, *COMPLEX, *FLOAT8]):
        bitwise = op in ("BAND", "BOR", "BXOR")
        if bitwise and (dtype.is_floating_point or dtype.is_complex):
            continue
        if dtype.is_complex and op not in ("SUM", "AVG"):
            continue
        if dtype == torch.bool and op == "AVG":
            continue
        if backend == "gloo" and (dtype in GLOO_REFUSES or op == "AVG"):
            continue
        yield op, dtype


def moved(backend):
    return [dtype for dtype in MOVED if backend != "gloo" or dtype not in GLOO_REFUSES]


@pytest.mark.parametrize("ranks", RANKS)
def test_all_reduce(backend, ranks):
    def body(rank):
        for count, (op, dtype) in itertools.product((1, 17, 1000), reductions(backend)):
            parts = [part(other, count, dtype) for other in range(ranks)]
            found = parts[rank].clone()
            dist.all_reduce(found, getattr(dist.ReduceOp, op))
            try:
                same(found, reduced(parts, op))
            except AssertionError as error:
                raise AssertionError(f"{op} of {count} {dtype}: {error}") from None
    run(body, ranks, backend=backend)


@pytest.mark.parametrize("count", [0, 1, 3, 255, 4097, 1_000_003])
def test_all_reduce_of_sizes(backend, count):
    def body(rank):
        for _ in range(3):
            found = part(rank, count, torch.float32)
            dist.all_reduce(found)
            same(found, reduced([part(other, count, torch.float32) for other in range(3)], "SUM"))
    run(body, 3, backend=backend)


@pytest.mark.only_blink("AVG on the CPU")
def test_an_average_is_a_quotient_rounded_once(backend):
    def body(rank):
        numbers = torch.arange(1000, dtype=torch.float64) + rank
        dist.all_reduce(numbers, dist.ReduceOp.AVG)
        same(numbers, (3 * torch.arange(1000, dtype=torch.float64) + 3) / 3)
        tenth = torch.full((10,), 0.1 * (rank + 1), dtype=torch.float64)
        dist.all_reduce(tenth, dist.ReduceOp.AVG)
        assert torch.allclose(tenth, torch.full((10,), 0.2, dtype=torch.float64), rtol=1e-15)
    run(body, 3, backend=backend)


@pytest.mark.only_blink("PREMUL_SUM on the CPU")
@pytest.mark.parametrize("dtype", FLOATS)
def test_pre_multiplied_sum(backend, dtype):
    def body(rank):
        for factor in (0.5, torch.tensor([0.5], dtype=dtype)):
            parts = [2 * part(other, 100, dtype) for other in range(3)]
            found = parts[rank].clone()
            dist.all_reduce(found, dist._make_nccl_premul_sum(factor))
            same(found, reduced([one / 2 for one in parts], "SUM"))
            whole = torch.cat(parts)
            scattered = torch.empty(100, dtype=dtype)
            dist.reduce_scatter_tensor(scattered, whole, dist._make_nccl_premul_sum(factor))
            same(scattered, 3 * parts[rank] / 2)
    run(body, 3, backend=backend)


def test_complex_numbers_have_no_order(backend):
    def body(rank):
        for op in (dist.ReduceOp.MAX, dist.ReduceOp.MIN, dist.ReduceOp.PRODUCT):
            with pytest.raises(ValueError, match="complex"):
                dist.all_reduce(torch.ones(3, dtype=torch.complex64), op)
    run(body, 2, backend=backend)


@pytest.mark.only_blink("gloo knows no int16 at all")
def test_types_without_reductions_are_refused_by_name(backend):
    """What Blink cannot add it refuses, or adds rightly; it never adds the bytes as something else."""
    def body(rank):
        for dtype in (torch.int16, torch.uint16):
            found = torch.tensor([300 + rank, 200], dtype=torch.int32).to(dtype)
            failure = failure_of(lambda: dist.all_reduce(found))
            if failure is None:
                assert found.tolist() == [601, 400]
            else:
                assert "int16" in failure[1].lower() or "short" in failure[1].lower(), failure
    run(body, 2, backend=backend)


@pytest.mark.parametrize("ranks", RANKS)
def test_all_reduce_coalesced(backend, ranks):
    def body(rank):
        sizes = (1, 0, 1000, 17)
        for op, dtype in reductions(backend):
            tensors = [part(rank, count, dtype, seed) for seed, count in enumerate(sizes)]
            dist.all_reduce_coalesced(tensors, getattr(dist.ReduceOp, op))
            for seed, count in enumerate(sizes):
                same(tensors[seed], reduced([part(other, count, dtype, seed) for other in range(ranks)], op))
        with dist._coalescing_manager(async_ops=True) as manager:
            tensors = [part(rank, 10 + i, torch.float32, i) for i in range(5)]
            for tensor in tensors:
                dist.all_reduce(tensor)
        manager.wait()
        for i, tensor in enumerate(tensors):
            same(tensor, reduced([part(other, 10 + i, torch.float32, i) for other in range(ranks)], "SUM"))
    run(body, ranks, backend=backend)


def test_all_reduce_coalesced_of_several_types(backend):
    if backend == "gloo":
        pytest.skip("gloo wants one type")

    def body(rank):
        dtypes = [torch.float32, torch.int64, torch.float64, torch.float32]
        tensors = [part(rank, 10, dtype, i) for i, dtype in enumerate(dtypes)]
        dist.distributed_c10d._get_default_group().allreduce_coalesced(tensors, dist.AllreduceCoalescedOptions()).wait()
        for i, dtype in enumerate(dtypes):
            same(tensors[i], reduced([part(other, 10, dtype, i) for other in range(3)], "SUM"))
    run(body, 3, backend=backend)


@pytest.mark.parametrize("ranks", RANKS)
def test_broadcast(backend, ranks):
    def body(rank):
        for dtype, root, count in itertools.product(moved(backend), range(ranks), (1, 999)):
            found = part(rank, count, dtype)
            dist.broadcast(found, root)
            same(found, part(root, count, dtype))
    run(body, ranks, backend=backend)


@pytest.mark.parametrize("ranks", RANKS)
def test_reduce(backend, ranks):
    def body(rank):
        for (op, dtype), root in itertools.product(reductions(backend), range(ranks)):
            parts = [part(other, 100, dtype) for other in range(ranks)]
            found = parts[rank].clone()
            dist.reduce(found, root, getattr(dist.ReduceOp, op))
            if rank == root:
                same(found, reduced(parts, op))
    run(body, ranks, backend=backend)


@pytest.mark.only_blink("gloo changes it")
def test_reduce_leaves_the_other_ranks_input_as_it_was(backend):
    def body(rank):
        found = part(rank, 1000, torch.float32)
        dist.reduce(found, 1)
        if rank != 1:
            same(found, part(rank, 1000, torch.float32))
    run(body, 3, backend=backend)


@pytest.mark.parametrize("ranks", RANKS)
def test_all_gather(backend, ranks):
    def body(rank):
        for dtype in moved(backend):
            parts = [part(other, 77, dtype) for other in range(ranks)]
            found = [torch.empty_like(parts[0]) for _ in range(ranks)]
            dist.all_gather(found, parts[rank])
            for one, expected in zip(found, parts):
                same(one, expected)
            whole = torch.empty(77 * ranks, dtype=dtype)
            dist.all_gather_into_tensor(whole, parts[rank])
            same(whole, torch.cat([one.view(torch.uint8) for one in parts]).view(dtype) if dtype in FLOAT8
                 else torch.cat(parts))
            if backend != "gloo":
                stacked = torch.empty(ranks, 77, dtype=dtype)
                dist.all_gather_into_tensor(stacked, parts[rank])
                same(stacked.reshape(-1), whole)
        in_place = torch.zeros(5 * ranks)
        mine = in_place[5 * rank:5 * rank + 5]
        mine.fill_(rank + 1)
        dist.all_gather_into_tensor(in_place, mine)
        same(in_place, torch.arange(1.0, ranks + 1).repeat_interleave(5))
    run(body, ranks, backend=backend)


@pytest.mark.only_blink("gloo wants equal shapes")
@pytest.mark.parametrize("ranks", RANKS)
def test_all_gather_of_uneven_parts(backend, ranks):
    def body(rank):
        for sizes in ([10 * (other + 1) for other in range(ranks)], [other % 2 * 7 for other in range(ranks)]):
            found = [torch.empty(size) for size in sizes]
            dist.all_gather(found, part(rank, sizes[rank], torch.float32))
            for other, one in enumerate(found):
                same(one, part(other, sizes[other], torch.float32))
    run(body, ranks, backend=backend)


@pytest.mark.parametrize("ranks", RANKS)
def test_all_gather_coalesced(backend, ranks):
    sizes = [3, 100, 1]

    def body(rank):
        inputs = [part(rank, size, torch.float32, i) for i, size in enumerate(sizes)]
        lists = [[torch.empty(size) for size in sizes] for _ in range(ranks)]
        dist.all_gather_coalesced(lists, inputs)
        for other, i in itertools.product(range(ranks), range(len(sizes))):
            same(lists[other][i], part(other, sizes[i], torch.float32, i))
        wholes = [torch.empty(size * ranks) for size in sizes]
        with dist._coalescing_manager(async_ops=True) as manager:
            for whole, one in zip(wholes, inputs):
                dist.all_gather_into_tensor(whole, one)
        manager.wait()
        for i, whole in enumerate(wholes):
            same(whole, torch.cat([part(other, sizes[i], torch.float32, i) for other in range(ranks)]))
    run(body, ranks, backend=backend)


@pytest.mark.parametrize("ranks", RANKS)
def test_gather_and_scatter(backend, ranks):
    def body(rank):
        for dtype, root in itertools.product(moved(backend), range(ranks)):
            parts = [part(other, 33, dtype) for other in range(ranks)]
            found = [torch.empty_like(parts[0]) for _ in range(ranks)] if rank == root else None
            if backend != "gloo" or not dtype.is_complex:
                dist.gather(parts[rank], found, root)
                if rank == root:
                    for one, expected in zip(found, parts):
                        same(one, expected)
            mine = torch.empty_like(parts[0])
            dist.scatter(mine, parts if rank == root else None, root)
            same(mine, parts[rank])
    run(body, ranks, backend=backend)


@pytest.mark.only_blink("gloo has no gather_into_tensor")
def test_gather_into_tensor(backend):
    def body(rank):
        for root in range(3):
            whole = torch.empty(3, 20) if rank == root else None
            dist.gather_into_tensor(part(rank, 20, torch.float32), whole, dst=root)
            if rank == root:
                same(whole, torch.stack([part(other, 20, torch.float32) for other in range(3)]))
    run(body, 3, backend=backend)


@pytest.mark.parametrize("ranks", RANKS)
def test_reduce_scatter(backend, ranks):
    def body(rank):
        for op, dtype in reductions(backend):
            if dtype in FLOAT8:
                continue
            parts = [[part(other, 20, dtype, i) for i in range(ranks)] for other in range(ranks)]
            expected = reduced([parts[other][rank] for other in range(ranks)], op)
            found = torch.empty_like(expected)
            dist.reduce_scatter(found, [one.clone() for one in parts[rank]], getattr(dist.ReduceOp, op))
            same(found, expected)
            found = torch.empty_like(expected)
            whole = torch.cat(parts[rank])
            dist.reduce_scatter_tensor(found, whole, getattr(dist.ReduceOp, op))
            same(found, expected)
            same(whole, torch.cat(parts[rank]))  # the input is as it was
    run(body, ranks, backend=backend)


@pytest.mark.only_blink("gloo wants equal shapes")
def test_reduce_scatter_of_uneven_parts(backend):
    def body(rank):
        sizes = [5, 0, 12]
        parts = [[part(other, size, torch.float32, i) for i, size in enumerate(sizes)] for other in range(3)]
        found = torch.empty(sizes[rank])
        dist.reduce_scatter(found, parts[rank])
        same(found, reduced([parts[other][rank] for other in range(3)], "SUM"))
    run(body, 3, backend=backend)


@pytest.mark.parametrize("ranks", RANKS)
def test_reduce_scatter_coalesced(backend, ranks):
    sizes = [3, 100, 1]

    def body(rank):
        wholes = [part(rank, size * ranks, torch.float32, i) for i, size in enumerate(sizes)]
        found = [torch.empty(size) for size in sizes]
        with dist._coalescing_manager(async_ops=True) as manager:
            for one, whole in zip(found, wholes):
                dist.reduce_scatter_tensor(one, whole)
        manager.wait()
        for i, size in enumerate(sizes):
            whole = reduced([part(other, size * ranks, torch.float32, i) for other in range(ranks)], "SUM")
            same(found[i], whole[rank * size:(rank + 1) * size])
    run(body, ranks, backend=backend)


@pytest.mark.parametrize("ranks", RANKS)
def test_all_to_all_single(backend, ranks):
    def body(rank):
        for dtype in moved(backend):
            found = torch.empty(4 * ranks, dtype=dtype)
            dist.all_to_all_single(found, part(rank, 4 * ranks, dtype))
            rows = [part(other, 4 * ranks, dtype)[4 * rank:4 * rank + 4] for other in range(ranks)]
            same(found, torch.cat([row.view(torch.uint8) for row in rows]).view(dtype) if dtype in FLOAT8
                 else torch.cat(rows))
    run(body, ranks, backend=backend)


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("shape", ["rising", "some are zero", "all to one", "nothing at all"])
def test_all_to_all_single_with_uneven_splits(backend, ranks, shape):
    """splits[r][s]: rows that rank r sends to rank s."""
    splits = {"rising": [[r + 2 * s + 1 for s in range(ranks)] for r in range(ranks)],
              "some are zero": [[(r + s) % 2 * 5 for s in range(ranks)] for r in range(ranks)],
              "all to one": [[6 if s == 1 else 0 for s in range(ranks)] for r in range(ranks)],
              "nothing at all": [[0] * ranks] * ranks}[shape]

    def body(rank):
        sent = [[part(r, 3 * splits[r][s], torch.float32, s).reshape(-1, 3) for s in range(ranks)]
                for r in range(ranks)]
        gives, takes = splits[rank], [splits[r][rank] for r in range(ranks)]
        found = torch.full((sum(takes), 3), -1.0)
        dist.all_to_all_single(found, torch.cat(sent[rank]), takes, gives)
        same(found, torch.cat([sent[r][rank] for r in range(ranks)]))
    run(body, ranks, backend=backend)


@pytest.mark.parametrize("ranks", RANKS)
def test_all_to_all_of_lists(backend, ranks):
    def body(rank):
        for dtype in moved(backend):
            for size in (lambda r, s: 5, lambda r, s: r + s, lambda r, s: 2 * r)[:1 if backend == "gloo" else 3]:
                gives = [part(rank, size(rank, s), dtype, s) for s in range(ranks)]
                takes = [torch.empty(size(r, rank), dtype=dtype) for r in range(ranks)]
                dist.all_to_all(takes, gives)
                for r in range(ranks):
                    same(takes[r], part(r, size(r, rank), dtype, rank))
    run(body, ranks, backend=backend)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int32])
def test_sparse_all_reduce(backend, dtype):
    def body(rank):
        dense = torch.zeros(10, 3, dtype=dtype)
        dense[rank] = rank + 1
        dense[5] = 1
        found = dense.to_sparse()
        if rank == 2:  # nothing of its own
            found = torch.zeros(10, 3, dtype=dtype).to_sparse()
        dist.all_reduce(found)
        expected = torch.zeros(10, 3, dtype=dtype)
        expected[0], expected[1], expected[5] = 1, 2, 2
        assert found.is_sparse
        same(found.to_dense(), expected)
    run(body, 3, backend=backend)


def test_barrier(backend):
    """No rank is through before the last one has come: each leaves a word in the store first."""
    def body(rank):
        store = dist.distributed_c10d._get_default_store()
        for round in range(20):
            store.add(f"{round}/{rank}", 1)  # set() would not wait for the store
            work = dist.barrier(async_op=round % 2 == 1)
            if work is not None:
                work.wait()
            assert store.check([f"{round}/{other}" for other in range(4)])
    run(body, 4, backend=backend)


def test_monitored_barrier(backend):
    def body(rank):
        store = dist.distributed_c10d._get_default_store()
        for round, all_ranks in enumerate((False, True, False)):
            store.add(f"{round}/{rank}", 1)
            dist.monitored_barrier(wait_all_ranks=all_ranks)
            assert store.check([f"{round}/{other}" for other in range(3)])
        found = torch.ones(3)
        dist.all_reduce(found)
        assert found.tolist() == [3, 3, 3]
    run(body, 3, backend=backend)


def test_object_collectives(backend):
    def body(rank):
        mine = {"rank": rank, "list": list(range(100 * rank)), "nested": {"text": "ü" * (rank + 1)}}
        found = [None] * 3
        dist.all_gather_object(found, mine)
        assert [one["rank"] for one in found] == [0, 1, 2] and found[rank] == mine
        assert len(found[2]["list"]) == 200
        words = ["a" * 1000, None, {"b": 2}] if rank == 1 else [None] * 3
        dist.broadcast_object_list(words, src=1)
        assert words == ["a" * 1000, None, {"b": 2}]
        gathered = [None] * 3 if rank == 2 else None
        dist.gather_object(mine, gathered, dst=2)
        assert rank != 2 or [one["rank"] for one in gathered] == [0, 1, 2]
        out = [None]
        dist.scatter_object_list(out, [f"for {other}" for other in range(3)] if rank == 0 else None, src=0)
        assert out == [f"for {rank}"]
        if rank == 0:
            dist.send_object_list([{"x": 1}, "two"], dst=1)
        elif rank == 1:
            received = [None, None]
            dist.recv_object_list(received, src=0)
            assert received == [{"x": 1}, "two"]
    run(body, 3, backend=backend)


@pytest.mark.parametrize("ranks", [5, 8, 16])
def test_many_ranks(backend, ranks):
    def body(rank):
        found = part(rank, 1000, torch.float32)
        dist.all_reduce(found)
        same(found, reduced([part(other, 1000, torch.float32) for other in range(ranks)], "SUM"))
        whole = torch.empty(ranks, dtype=torch.int64)
        dist.all_gather_into_tensor(whole, torch.tensor([rank]))
        assert whole.tolist() == list(range(ranks))
        exchanged = torch.empty(ranks, dtype=torch.int64)
        dist.all_to_all_single(exchanged, torch.arange(ranks) + 100 * rank)
        assert exchanged.tolist() == [rank + 100 * other for other in range(ranks)]
        for root in (0, ranks - 1):
            word = torch.tensor([rank])
            dist.broadcast(word, root)
            assert word.item() == root
    run(body, ranks, backend=backend)


def test_one_rank_alone(backend):
    def body(rank):
        numbers = part(0, 10, torch.float32)
        for op in ("SUM", "PRODUCT", "MIN", "MAX"):
            found = numbers.clone()
            dist.all_reduce(found, getattr(dist.ReduceOp, op))
            same(found, numbers)
        for call in (lambda: dist.broadcast(numbers, 0), lambda: dist.reduce(numbers, 0), dist.barrier,
                     dist.monitored_barrier):
            call()
        found = torch.empty(10)
        dist.all_gather_into_tensor(found, numbers)
        same(found, numbers)
        dist.reduce_scatter_tensor(found, 2 * numbers)
        same(found, 2 * numbers)
        dist.all_to_all_single(found, 3 * numbers)
        same(found, 3 * numbers)
        lists = [torch.empty(10)]
        dist.all_gather(lists, numbers)
        same(lists[0], numbers)
        dist.gather(numbers, lists, 0)
        dist.scatter(found, [4 * numbers], 0)
        same(found, 4 * numbers)
        dist.all_to_all(lists, [5 * numbers])
        same(lists[0], 5 * numbers)
        objects = [None]
        dist.all_gather_object(objects, "alone")
        assert objects == ["alone"]
    run(body, 1, backend=backend)
