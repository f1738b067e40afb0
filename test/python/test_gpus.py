"""Communicators of GPUs, on emulated ones (test/emulation): a package of its own, and CUDA's library in its place."""

import os
import subprocess
import sys

import numpy
import pytest
from conftest import TYPES, group, inputs

import blink
import blink.testing

if "BLINK_EMULATED_DEVICES" not in os.environ:
    pytest.skip("for emulated GPUs", allow_module_level=True)

import cuda
import gpu_jobs
from test_processes import run

KINDS = [cuda.Numba, cuda.Dlpack]
GPUS = [2, 0, 3, 1, 7, 6, 5, 4]  # of the ranks
COUNT = 1021


@pytest.fixture(scope="module", params=[2, 4, 8])
def jobs(schedule, request):
    """Communicators of two, four and eight ranks, of which each has its GPU."""
    comms = blink.Communicator.all(schedule, request.param, devices=GPUS[:request.param], backend="cuda", timeout=60)
    yield comms
    for comm in comms:
        comm.close()


@pytest.fixture(scope="module")
def comms(schedule):
    """Of four ranks."""
    comms = blink.Communicator.all(schedule, 4, devices=GPUS[:4], backend="cuda", timeout=60)
    yield comms
    for comm in comms:
        comm.close()


@pytest.fixture(autouse=True)
def all_is_given_back():
    yield
    assert not cuda.exported


def on_gpus(kind, arrays):
    """Copies on the GPUs of the ranks."""
    return [kind(GPUS[rank], array) for rank, array in enumerate(arrays)]


def empty(kind, comms, count, dtype):
    return on_gpus(kind, [numpy.full(count, 77, dtype) for _ in comms])


def check(arrays, expected):
    for array, values in zip(arrays, expected):
        if values is not None:
            numpy.testing.assert_array_equal(array.get(), values)


@pytest.mark.parametrize("kind", KINDS)
def test_reductions(jobs, kind):
    n = len(jobs)
    for dtype in (TYPES if n == 4 else [numpy.float32]):
        send = inputs(n, COUNT, dtype)
        total = sum(send[1:], send[0])
        given = on_gpus(kind, send)
        recv = empty(kind, jobs, COUNT, dtype)
        group(jobs, lambda c: c.all_reduce(given[c.rank], recv[c.rank]))
        check(recv, [total] * n)
        check(given, send)
        group(jobs, lambda c: c.all_reduce(given[c.rank], op="max"))
        check(given, [numpy.max(send, axis=0)] * n)


@pytest.mark.parametrize("kind", KINDS)
def test_rooted(jobs, kind):
    n = len(jobs)
    for root in {0, n - 1}:
        send = inputs(n, COUNT, numpy.float32, seed=root)
        given, whole = on_gpus(kind, send), inputs(1, n * COUNT, numpy.int64)[0]
        scattered = kind(GPUS[root], whole)

        recv = empty(kind, jobs, COUNT, numpy.float32)
        group(jobs, lambda c: c.broadcast(given[root] if c.rank == root else None, recv[c.rank], root))
        check(recv, [send[root]] * n)
        recv = empty(kind, jobs, COUNT, numpy.float32)
        group(jobs, lambda c: c.reduce(given[c.rank], recv[c.rank] if c.rank == root else None, root=root))
        check([recv[root]], [sum(send[1:], send[0])])
        recv = empty(kind, jobs, n * COUNT, numpy.float32)
        group(jobs, lambda c: c.gather(given[c.rank], recv[c.rank] if c.rank == root else None, root))
        check([recv[root]], [numpy.concatenate(send)])
        recv = empty(kind, jobs, COUNT, numpy.int64)
        group(jobs, lambda c: c.scatter(scattered if c.rank == root else None, recv[c.rank], root))
        check(recv, whole.reshape(n, COUNT))


@pytest.mark.parametrize("kind", KINDS)
def test_whole_and_parts(jobs, kind):
    n = len(jobs)
    send, wide = inputs(n, COUNT, numpy.float64), inputs(n, n * COUNT, numpy.int32)
    given, given_wide = on_gpus(kind, send), on_gpus(kind, wide)

    recv = empty(kind, jobs, n * COUNT, numpy.float64)
    group(jobs, lambda c: c.all_gather(given[c.rank], recv[c.rank]))
    check(recv, [numpy.concatenate(send)] * n)
    recv = empty(kind, jobs, COUNT, numpy.int32)
    group(jobs, lambda c: c.reduce_scatter(given_wide[c.rank], recv[c.rank]))
    check(recv, sum(wide).reshape(n, COUNT))
    recv = empty(kind, jobs, n * COUNT, numpy.int32)
    group(jobs, lambda c: c.all_to_all(given_wide[c.rank], recv[c.rank]))
    check(recv, [numpy.concatenate([array.reshape(n, COUNT)[rank] for array in wide]) for rank in range(n)])

    # In place.
    group(jobs, lambda c: c.reduce_scatter(given_wide[c.rank]))
    assert all((array.get().reshape(n, COUNT)[rank] == sum(wide).reshape(n, COUNT)[rank]).all()
               for rank, array in enumerate(given_wide))
    whole = on_gpus(kind, [numpy.concatenate(send)] * n)
    group(jobs, lambda c: c.all_gather(whole[c.rank]))
    check(whole, [numpy.concatenate(send)] * n)


@pytest.mark.parametrize("kind", KINDS)
def test_messages(comms, kind):
    send = inputs(4, COUNT, numpy.int32)
    given, recv = on_gpus(kind, send), empty(kind, comms, COUNT, numpy.int32)
    with blink.group():
        for comm in comms:
            comm.send(given[comm.rank], peer=(comm.rank + 1) % 4)
            comm.recv(recv[comm.rank], peer=(comm.rank + 3) % 4)
    check(recv, [send[(rank + 3) % 4] for rank in range(4)])


def test_threads(schedule):
    """A thread a rank, none of which has made its GPU the current one."""
    given = on_gpus(cuda.Dlpack, inputs(4, COUNT, numpy.float32))

    def job(comm):
        for _ in range(3):
            comm.all_reduce(given[comm.rank], op="max")
        with pytest.raises(ValueError, match="host"):
            comm.all_reduce(bytearray(4))

    blink.testing.run(4, job, schedule, backend="cuda", devices=GPUS[:4])
    check(given, [numpy.max(inputs(4, COUNT, numpy.float32), axis=0)] * 4)


def test_ranks_on_one_gpu(schedule):
    comms = blink.Communicator.all(schedule, 4, devices=[5, 5, 5, 1], backend="cuda", timeout=60)
    given = [cuda.Dlpack(device, array) for device, array in zip([5, 5, 5, 1], inputs(4, COUNT, numpy.float32))]
    group(comms, lambda c: c.all_reduce(given[c.rank]))
    check(given, [sum(inputs(4, COUNT, numpy.float32))] * 4)
    for comm in comms:
        comm.close()


def test_devices_of_their_numbers(schedule):
    comms = blink.Communicator.all(schedule, 3, backend="cuda", timeout=60)
    given = [cuda.Dlpack(rank, numpy.ones(10)) for rank in range(3)]
    group(comms, lambda c: c.all_reduce(given[c.rank]))
    check(given, [numpy.full(10, 3.0)] * 3)
    with blink.group():
        rest = [comm.shrink(exclude=[0]) for comm in comms[1:]]
    with blink.group():  # rank r has GPU r + 1
        for comm in rest:
            comm.all_reduce(given[comm.rank + 1])
    check(given, [numpy.full(10, 3.0), *[numpy.full(10, 6.0)] * 2])
    for comm in [*comms, *rest]:
        comm.close()


@pytest.mark.parametrize("n", [2, 4])
def test_processes(schedule_path, n):
    """Of their own, since CUDA does not outlive a fork."""
    for _, totals, gathered, error in run(gpu_jobs.collectives, schedule_path, n):
        assert totals == [n * (n + 1) / 2 * 2**turn for turn in range(4)]
        assert gathered == numpy.repeat(range(n), 5).tolist()
        assert "GPU" in error


# What is a buffer


def test_what_dlpack_has(comms):
    """Parts of memory, strides that say nothing, and exporters of all ages."""
    class Old(cuda.Dlpack):
        def __dlpack__(self):
            return super().__dlpack__()

    class OfStreams(cuda.Dlpack):
        def __dlpack__(self, *, stream=None):
            return super().__dlpack__(stream=stream)

    arrays = [numpy.arange(40, dtype=numpy.float32).reshape(10, 4) + rank for rank in range(4)]
    for kind, settings in ((cuda.Dlpack, {"skip": 3}), (cuda.Dlpack, {"strides": (4, 1)}), (Old, {}), (OfStreams, {}),
                           (cuda.Dlpack, {"skip": 9, "strides": (100, 1)})):
        given = on_gpus(kind, arrays)
        for array in given:
            vars(array).update(settings)
        group(comms, lambda c: c.all_reduce(given[c.rank]))
        skip = settings.get("skip", 0)
        check(given, [numpy.concatenate([array[:skip], sum(arrays)[skip:]]) for array in arrays])
        assert given[0].streams == ([None] if kind is Old else [1])


def test_types_that_numpy_has_not(comms):
    given = on_gpus(cuda.Dlpack, [numpy.full(9, 0x3FC0, numpy.uint16)] * 4)  # 1.5
    for array in given:
        array.code = 4  # bfloat16
    group(comms, lambda c: c.all_reduce(given[c.rank]))
    check(given, [numpy.full(9, 0x40C0)] * 4)
    raw = on_gpus(cuda.Numba, [numpy.full(9, 0x3FC0, numpy.uint16)] * 4)
    group(comms, lambda c: c.all_reduce(raw[c.rank], dtype="bfloat16"))
    check(raw, [numpy.full(9, 0x40C0)] * 4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(), (1, 5), (0,), (3, 0)])
def test_shapes(comms, kind, shape):
    given = on_gpus(kind, [numpy.ones(shape)] * 4)
    group(comms, lambda c: c.all_reduce(given[c.rank]))
    check(given, [numpy.full(shape, 4.0)] * 4)


@pytest.mark.parametrize("kind", [cuda.CUDA_HOST, cuda.CUDA_MANAGED])
def test_memory_of_hosts_and_gpus(comms, schedule, kind):
    given = [cuda.Dlpack(0, numpy.ones(100), "cudaMallocHost") for _ in comms]
    for array in given:
        array.kind = kind
    group(comms, lambda c: c.all_reduce(given[c.rank]))
    cuda.wait()
    check(given, [numpy.full(100, 4.0)] * 4)
    host = blink.Communicator.all(schedule, 4)
    group(host, lambda c: c.all_reduce(given[c.rank]))
    check(given, [numpy.full(100, 16.0)] * 4)


def test_memory_of_another_device(comms, schedule):
    """Nothing is read or written: each call is refused on its rank."""
    host = blink.Communicator.all(schedule, 2)
    numbers = numpy.zeros(4, numpy.float32)
    here, there, numba = cuda.Dlpack(2, numbers), cuda.Dlpack(3, numbers), cuda.Numba(2, numbers)
    other = cuda.Dlpack(2, numbers)
    other.kind = cuda.VULKAN
    for array in (numbers, bytearray(16), memoryview(bytearray(16)), blink.allocate(16)):
        with pytest.raises(ValueError, match="recv is memory of the host, but the communicator is of GPU 2"):
            comms[0].all_reduce(here, array, dtype="float32")
    with pytest.raises(ValueError, match="send is memory of GPU 3, but the communicator is of GPU 2"):
        comms[0].all_reduce(there)
    with pytest.raises(ValueError, match="send is memory of device type 7 in DLPack's numbers, but .* is of GPU 2"):
        comms[0].all_reduce(other)
    with pytest.raises(ValueError, match="send is memory of GPU 2, but the communicator is of the back end 'host'"):
        host[0].all_reduce(here)
    with pytest.raises(ValueError, match="send is memory of a GPU, but the communicator is of the back end 'host'"):
        host[0].all_reduce(numba)
    for comm, buffer in ((comms[0], numbers), (comms[0], there), (host[0], here), (host[0], numba)):
        with pytest.raises(ValueError, match="buffer is memory of .*, but the communicator is of"):
            comm.register(buffer)


@pytest.mark.parametrize("fields, sentence", [
    ({"strides": (8,)}, "not contiguous"),
    ({"strides": (-4,)}, "not contiguous"),
    ({"typestr": ">f4"}, "of a type that no collective has"),
    ({"typestr": "<c8"}, "of a type that no collective has"),
    ({"typestr": "|b1"}, "of a type that no collective has"),
    ({"typestr": "<i2"}, "of a type that no collective has"),
    ({"typestr": "<f0"}, "not as Numba"),
    ({"typestr": "<f"}, "not as Numba"),
    ({"typestr": None}, "not as Numba"),
    ({"typestr": "<f-4"}, "not as Numba"),
    ({"shape": (-4,)}, "not as Numba"),
    ({"shape": 4}, "not as Numba"),
    ({"shape": (1 << 62, 1 << 62)}, "not as Numba"),
    ({"strides": (4, 4)}, "not as Numba"),
    ({"data": 4096}, "not as Numba"),
    ({"data": (4096,)}, "not as Numba"),
    ({"mask": object()}, "has a mask"),
])
def test_what_numba_may_say(comms, fields, sentence):
    array = cuda.Numba(2, numpy.zeros(4, numpy.float32))
    array.fields = fields
    with pytest.raises((ValueError, TypeError), match=f"all_reduce: send.*{sentence}"):
        comms[0].all_reduce(array)


def test_read_only(comms):
    numba, dlpack, good = (kind(2, numpy.zeros(4)) for kind in [*KINDS, cuda.Numba])
    numba.fields = {"data": (numba.address, True)}
    dlpack.read_only = True
    for array in (numba, dlpack):
        with pytest.raises(ValueError, match="recv is read-only"):
            comms[0].all_reduce(good, array)
        with pytest.raises(ValueError, match="send is read-only"):
            comms[0].all_reduce(array)
        with pytest.raises(ValueError, match="buffer is read-only"):
            comms[0].register(array)
    given = on_gpus(cuda.Dlpack, [numpy.ones(4)] * 4)
    recv = empty(cuda.Dlpack, comms, 4, numpy.float64)
    for array in given:
        array.read_only = True
    group(comms, lambda c: c.all_reduce(given[c.rank], recv[c.rank]))
    check(recv, [numpy.full(4, 4.0)] * 4)


def test_strides(comms):
    array = cuda.Dlpack(2, numpy.zeros((4, 4)))
    for strides in ((1, 4), (8, 1), (-4, 1), (0, 1)):
        array.strides = strides
        with pytest.raises(ValueError, match="send is not contiguous"):
            comms[0].all_reduce(array)


def test_sizes_that_differ(comms):
    given = [cuda.Dlpack(GPUS[rank], numpy.ones(9 + rank // 3)) for rank in range(4)]
    with pytest.raises(ValueError, match="recv has 10 elements: expected 9, since send has 9"):
        comms[0].all_reduce(given[0], cuda.Numba(2, numpy.zeros(10)))
    with pytest.raises(ValueError, match="recv is of float32: expected float64, as send is"):
        comms[0].all_reduce(given[0], cuda.Numba(2, numpy.zeros(9, numpy.float32)))
    with pytest.raises(ValueError, match="36 bytes: expected a multiple of 16"):
        comms[0].reduce_scatter(cuda.Dlpack(2, numpy.zeros(9, numpy.float32)))
    with pytest.raises(blink.InvalidUsage, match="rank 3 has allreduce of 10 float64 with sum"):
        group(comms, lambda c: c.all_reduce(given[c.rank]))
    check(given, [numpy.ones(9 + rank // 3) for rank in range(4)])


def test_a_buffer_is_kept_until_its_group_has_ended(comms):
    recv = empty(cuda.Numba, comms, COUNT, numpy.float64)
    with blink.group():
        for comm in comms:
            comm.broadcast(cuda.Dlpack(GPUS[0], numpy.ones(COUNT)) if comm.rank == 0 else None, recv[comm.rank])
        assert len(cuda.exported) == 1
    assert not cuda.exported
    check(recv, [numpy.ones(COUNT)] * 4)


# Streams


class Torch:
    def __init__(self, number):
        self.cuda_stream = number


class Cupy:
    def __init__(self, number):
        self.ptr = number


class Cuda:
    def __init__(self, number):
        self.number = number

    def __cuda_stream__(self):
        return (0, self.number)


@pytest.mark.parametrize("of", [int, Torch, Cupy, Cuda])
@pytest.mark.parametrize("kind", KINDS)
def test_streams(comms, of, kind):
    """The call returns before its turn has come in its stream, and frameworks are told which stream that is."""
    streams = [cuda.Stream(gpu) for gpu in GPUS[:4]]
    given = on_gpus(kind, inputs(4, COUNT, numpy.int32))
    go_on = streams[1].hold()
    group(comms, lambda c: c.all_reduce(given[c.rank], stream=of(streams[c.rank].number)))
    assert (given[1].peek() == inputs(4, COUNT, numpy.int32)[1]).all()
    go_on()
    check(given, [sum(inputs(4, COUNT, numpy.int32))] * 4)
    if kind is cuda.Dlpack:
        assert [array.streams for array in given] == [[stream.number] for stream in streams]


def test_the_default_stream(comms):
    for stream in (None, 0):
        given = on_gpus(cuda.Dlpack, inputs(4, COUNT, numpy.int32))
        group(comms, lambda c: c.all_reduce(given[c.rank], stream=stream))
        check(given, [sum(inputs(4, COUNT, numpy.int32))] * 4)
        assert all(array.streams == [1] for array in given)
    for stream in ("5", -1, object()):
        with pytest.raises(TypeError, match="stream"):
            comms[0].all_reduce(given[0], stream=stream)


def test_a_stream_of_another_gpu(comms):
    given = on_gpus(cuda.Dlpack, [numpy.ones(10)] * 4)
    with pytest.raises(blink.CudaError, match="invalid resource handle"):
        group(comms, lambda c: c.all_reduce(given[c.rank], stream=cuda.Stream(0).number))


def test_graphs(comms):
    streams = [cuda.Stream(gpu) for gpu in GPUS[:4]]
    given, ones = on_gpus(cuda.Dlpack, [numpy.ones(COUNT)] * 4), numpy.ones(COUNT)
    for stream in streams:
        stream.begin_capture()
    group(comms, lambda c: c.all_reduce(given[c.rank], stream=streams[c.rank].number))
    launches = [stream.end_capture() for stream in streams]
    check(given, [ones] * 4)
    for turn in range(3):
        for launch in launches:
            launch()
        check(given, [4.0**(turn + 1) * ones] * 4)


# Registration, errors and ends


@pytest.mark.parametrize("kind", KINDS)
def test_registration(comms, kind):
    given = on_gpus(kind, [numpy.ones(100_000)] * 4)
    registrations = [comm.register(given[comm.rank]) for comm in comms]
    assert len(cuda.exported) == (4 if kind is cuda.Dlpack else 0)
    group(comms, lambda c: c.all_reduce(given[c.rank]))
    check(given, [numpy.full(100_000, 4.0)] * 4)
    for registration in registrations:
        registration.close()
        registration.close()


def test_registration_lasts_until_the_communicator_ends(schedule):
    comms = blink.Communicator.all(schedule, 2, devices=GPUS[:2], backend="cuda")
    given = on_gpus(cuda.Dlpack, [numpy.ones(10)] * 2)
    registrations = [comm.register(given[comm.rank]) for comm in comms]
    group(comms, lambda c: c.all_reduce(given[c.rank]))
    check(given, [numpy.full(10, 2.0)] * 2)
    for comm in comms:
        comm.close()
    assert not cuda.exported
    for registration in registrations:
        registration.close()


def test_memory_that_cannot_be_registered(comms):
    pinned = cuda.Dlpack(GPUS[0], numpy.ones(10), "cudaMallocHost")
    pinned.kind = cuda.CUDA_HOST
    with pytest.raises(blink.InvalidArgument, match="GPU"):
        comms[0].register(pinned)


def test_allocate_gives_the_hosts(schedule):
    """Also in a thread that has a GPU, where blinkMemAlloc would give that one's."""
    cuda.use(1)
    memory = blink.allocate(4096)
    assert bytes(memory) == bytes(4096)
    assert cuda.kind_of(numpy.frombuffer(memory, numpy.uint8).ctypes.data) == 0


@pytest.mark.parametrize("settings, sentence", [
    ({"devices": [0, 1, 2, 99]}, "GPU 99"),
    ({"devices": [0, -1, 2, 3]}, "GPU -1"),
    ({"devices": [0, 1]}, "devices has 2 numbers: expected 4"),
])
def test_no_such_device(schedule, settings, sentence):
    with pytest.raises(blink.InvalidArgument, match=sentence):
        blink.Communicator.all(schedule, 4, backend="cuda", **settings)


def test_a_rank_needs_its_device(schedule):
    with pytest.raises(blink.InvalidArgument, match="GPU -1"):
        blink.Communicator(schedule, 2, 0, blink.unique_id(), backend="cuda", timeout=1)


def test_a_rank_that_does_not_come(schedule):
    """The call returns when its kernel is in the stream; the kernel ends at its time, and the next call says why."""
    comms = blink.Communicator.all(schedule, 3, backend="cuda", timeout=0.2)
    given = [cuda.Dlpack(rank, numpy.zeros(4)) for rank in range(3)]
    comms[0].all_reduce(given[0])
    cuda.wait(0)
    assert isinstance(comms[0].async_error, blink.RemoteError) and "rank" in str(comms[0].async_error)
    with pytest.raises(blink.RemoteError, match="rank"):
        comms[0].all_reduce(given[0])
    for comm in comms:
        comm.abort()


def test_abort_ends_kernels(schedule):
    comms = blink.Communicator.all(schedule, 2, backend="cuda", timeout=60)
    given = [cuda.Dlpack(rank, numpy.zeros(4)) for rank in range(2)]
    comms[0].all_reduce(given[0])
    comms[1].abort()
    cuda.wait(0)
    assert "rank 1 aborted" in str(comms[0].async_error)
    comms[0].abort()


def test_without_a_gpu(schedule_path):
    program = ("import sys, blink\n"
               "try: blink.Communicator.all(blink.Schedule(sys.argv[1]), 2, backend='cuda')\n"
               "except blink.CudaError as error: print(error)\n")
    printed = subprocess.run([sys.executable, "-c", program, schedule_path], text=True, capture_output=True,
                             env={**os.environ, "BLINK_EMULATED_DEVICES": "many"})
    assert "no CUDA-capable device" in printed.stdout, printed
