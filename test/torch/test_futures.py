"""Works and their futures, callbacks that wait for other calls, and many threads."""

import threading
from datetime import timedelta

import queue

import pytest
import torch
import torch.distributed as dist

from jobs import run


def test_works(backend):
    def body(rank):
        tensor = torch.full((1000,), rank + 1.0)
        work = dist.all_reduce(tensor, async_op=True)
        assert work.wait() is True
        assert work.is_completed() and work.is_success() and work.exception() is None
        assert tensor.tolist() == [3] * 1000
        assert work.wait() is True  # again
        assert work.wait(timedelta(seconds=1)) is True
        work = dist.broadcast(tensor, 0, async_op=True)
        work.wait()
        assert [one.tolist() for one in work.result()] == [tensor.tolist()] if backend != "gloo" else True
        assert dist.all_reduce(tensor) is None
    run(body, 2, backend=backend)


def test_a_works_future(backend):
    def body(rank):
        group = dist.group.WORLD
        tensor = torch.full((10,), rank + 1.0)
        future = group.allreduce([tensor]).get_future()
        assert [one.tolist() for one in future.wait()] == [[3] * 10]
        assert future.done() and future.value()[0].data_ptr() == tensor.data_ptr()
        chained = group.allreduce([tensor]).get_future().then(lambda f: f.value()[0] * 2).then(lambda f: f.value() + 1)
        assert chained.wait().tolist() == [13] * 10
        called = queue.Queue()
        future = group.allreduce([tensor]).get_future()
        future.add_done_callback(lambda f: called.put(f.value()[0][0].item()))
        assert called.get(timeout=60) == 12
        # what each call's future holds
        whole = torch.empty(20)
        assert group._allgather_base(whole, tensor).get_future().wait()[0].shape in ((20,), (10,), (2, 10))
        outputs = [torch.empty(10), torch.empty(10)]
        group.allgather([outputs], [tensor]).get_future().wait()
        assert outputs[0].tolist() == [12] * 10
        group.broadcast([tensor], dist.BroadcastOptions()).get_future().wait()
        group.barrier(dist.BarrierOptions()).get_future().wait()
    run(body, 2, backend=backend)


def test_a_future_of_all(backend):
    def body(rank):
        tensors = [torch.full((100,), float(i)) for i in range(10)]
        futures = [dist.all_reduce(one, async_op=True).get_future() for one in tensors]
        torch.futures.wait_all(futures)
        assert [one[0].item() for one in tensors] == [3 * i for i in range(10)]
    run(body, 3, backend=backend)


def test_a_callback_waits_for_a_later_call(backend):
    """As PowerSGD's hook does: the callback's thread waits for calls that were made after its own."""
    def body(rank):
        group = dist.group.WORLD

        def second(future):
            later = future.value()[0].clone()
            dist.all_reduce(later)
            return later

        def third(future):
            other = future.value().clone()
            group.allreduce([other]).wait()
            return other

        for _ in range(5):
            chained = group.allreduce([torch.ones(8)]).get_future().then(second).then(third)
            assert chained.wait().tolist() == [8] * 8
    run(body, 2, backend=backend)


def test_many_callbacks_wait_for_later_calls(backend):
    """More callbacks that wait than there could be threads to run them one by one in the order of calls."""
    if backend == "gloo":
        pytest.skip("gloo has two threads, and they wait for each other")

    def body(rank):
        group = dist.group.WORLD
        store = dist.distributed_c10d._get_default_store()
        made = threading.Event()
        latest = []

        def wait_for_the_last(future):
            made.wait()
            latest[0].wait()
            return future.value()[0]

        if rank == 1:  # none is done before rank 0 has its callbacks
            store.wait(["there"])
        works = [group.allreduce([torch.ones(4)]) for _ in range(8)]
        chained = [work.get_future().then(wait_for_the_last) for work in works] if rank == 0 else []
        latest.append(group.allreduce([torch.ones(4)]))
        made.set()
        store.set("there", "")
        for future in chained:
            assert future.wait().tolist() == [2] * 4
        latest[0].wait()
    run(body, 2, backend=backend)


def test_a_callback_that_raises(backend):
    def body(rank):
        def fails(future):
            raise ValueError("of the callback")

        future = dist.group.WORLD.allreduce([torch.ones(2)]).get_future().then(fails)
        with pytest.raises(Exception, match="of the callback"):
            future.wait()
        total = torch.ones(2)
        dist.all_reduce(total)
        assert total.tolist() == [2, 2]
    run(body, 2, backend=backend)


def test_a_hundred_calls_at_once_complete_in_any_order_of_waits(backend):
    def body(rank):
        tensors = [torch.full((1 + 37 * i,), float(i + rank)) for i in range(100)]
        works = [dist.all_reduce(one, async_op=True) for one in tensors]
        for i in reversed(range(100)):
            works[i].wait()
            assert (tensors[i] == 3 * i + 3).all()
    run(body, 3, backend=backend)


def test_calls_of_different_kinds_are_matched_by_their_order(backend):
    def body(rank):
        total, whole, part = torch.ones(50), torch.empty(150), torch.empty(50)
        works = [dist.all_reduce(total, async_op=True),
                 dist.all_gather_into_tensor(whole, torch.full((50,), float(rank)), async_op=True),
                 dist.reduce_scatter_tensor(part, torch.ones(150), async_op=True),
                 dist.barrier(async_op=True)]
        for work in reversed(works):
            work.wait()
        assert total.tolist() == [3] * 50 and part.tolist() == [3] * 50
        assert whole.tolist() == [0] * 50 + [1] * 50 + [2] * 50
    run(body, 3, backend=backend)


def test_threads_with_a_group_each(backend):
    """Each thread has a group; in each group the ranks call in one order, across groups in any."""
    def body(rank):
        groups = [dist.new_group(list(range(3))) for _ in range(6)]
        problems = []

        def calls(number, group):
            try:
                for round in range(30):
                    tensor = torch.full((100 * number + 1,), float(rank + round))
                    dist.all_reduce(tensor, group=group)
                    assert (tensor == 3 + 3 * round).all()
                    whole = torch.empty(3, dtype=torch.int64)
                    dist.all_gather_into_tensor(whole, torch.tensor([rank]), group=group)
                    assert whole.tolist() == [0, 1, 2]
            except BaseException as error:
                problems.append(error)

        threads = [threading.Thread(target=calls, args=item) for item in enumerate(groups)]
        for thread in threads if rank != 1 else reversed(threads):
            thread.start()
        for thread in threads:
            thread.join()
        assert not problems, problems[0]
    run(body, 3, backend=backend)


def test_threads_on_one_group_that_agree_on_an_order(backend):
    """One thread begins the calls, others wait for them."""
    def body(rank):
        problems = []
        tensors = [torch.full((1000,), float(i)) for i in range(40)]
        works = [dist.all_reduce(one, async_op=True) for one in tensors]

        def waits(first):
            try:
                for i in range(first, 40, 4):
                    works[i].wait()
                    assert (tensors[i] == 2 * i).all()
            except BaseException as error:
                problems.append(error)

        threads = [threading.Thread(target=waits, args=(first,)) for first in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not problems, problems[0]
    run(body, 2, backend=backend)


def test_waiting_leaves_pythons_lock_to_others(backend):
    """Another thread of the same rank must run while one waits: it makes the call that the wait is for."""
    def body(rank):
        store = dist.distributed_c10d._get_default_store()
        first, second = dist.new_group([0, 1]), dist.new_group([0, 1])
        if rank == 0:
            tensor = torch.ones(1)

            def other():
                dist.all_reduce(torch.ones(1), group=second)
                store.set("second is through", "")

            thread = threading.Thread(target=other)
            thread.start()
            dist.all_reduce(tensor, group=first)
            thread.join()
        else:
            dist.all_reduce(torch.ones(1), group=second)
            store.wait(["second is through"])
            dist.all_reduce(torch.ones(1), group=first)
    run(body, 2, backend=backend)
