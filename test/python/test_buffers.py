"""What is a buffer, and of which type its elements are."""

import array

import numpy
import pytest
from conftest import group

import blink


class Dlpack:
    """An array behind DLPack alone, as of a framework that has no buffer protocol."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **settings):
        return self.array.__dlpack__(**settings)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def bits_of_bfloat16(values):
    return (numpy.asarray(values, numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)


@pytest.mark.parametrize("make", [
    bytearray,
    lambda data: memoryview(bytearray(data)),
    lambda data: array.array("B", data),
    lambda data: numpy.frombuffer(bytearray(data), numpy.uint8),
    lambda data: Dlpack(numpy.frombuffer(bytearray(data), numpy.uint8)),
])
def test_kinds(comms, make):
    buffers = [make(bytes([1, 2, 3 + rank])) for rank in range(4)]
    group(comms, lambda c: c.all_reduce(buffers[c.rank], op="max"))
    assert all(bytes(getattr(buffer, "array", buffer)) == bytes([1, 2, 6]) for buffer in buffers)


def test_bytes_are_sent(comms):
    recv = [bytearray(6) for _ in comms]
    group(comms, lambda c: c.broadcast(b"secret" if c.rank == 2 else None, recv[c.rank], root=2))
    assert all(buffer == b"secret" for buffer in recv)


@pytest.mark.parametrize("shape", [(), (1,), (3, 4), (2, 1, 5), (0, 7)])
def test_shapes_are_only_sizes(comms, shape):
    arrays = [numpy.ones(shape) for _ in comms]
    group(comms, lambda c: c.all_reduce(arrays[c.rank]))
    assert all((array == 4).all() for array in arrays)


def test_dtype_says_what_bytes_are(comms):
    raw = [bytearray(numpy.full(3, rank + 0.5, numpy.float32).tobytes()) for rank in range(4)]
    group(comms, lambda c: c.all_reduce(raw[c.rank], dtype="float32"))
    assert all((numpy.frombuffer(buffer, numpy.float32) == 8).all() for buffer in raw)


@pytest.mark.parametrize("dtype", ["bfloat16", type("bfloat16", (), {}), "torch.bfloat16"])
def test_bfloat16(comms, dtype):
    arrays = [bits_of_bfloat16([1.5, rank, -2]) for rank in range(4)]
    group(comms, lambda c: c.all_reduce(arrays[c.rank], dtype=dtype))
    assert all((array == bits_of_bfloat16([6, 6, -8])).all() for array in arrays)


@pytest.mark.parametrize("dtype, one, four", [("float8_e4m3fn", 0x38, 0x48), ("float8e5m2", 0x3C, 0x44)])
def test_float8(comms, dtype, one, four):
    arrays = [numpy.full(5, one, numpy.uint8) for _ in comms]
    group(comms, lambda c: c.all_reduce(arrays[c.rank], dtype=dtype))
    assert all((array == four).all() for array in arrays)


@pytest.mark.parametrize("dtype", ["int16", "", "complex64", numpy.int16, 7])
def test_no_such_dtype(comms, dtype):
    with pytest.raises(blink.InvalidArgument, match="expected one of int8, .*float8_e5m2$"):
        comms[0].all_reduce(numpy.zeros(4), dtype=dtype)


@pytest.mark.parametrize("array", [numpy.zeros(4, bool), numpy.zeros(4, complex), numpy.zeros(4, numpy.int16),
                                   numpy.zeros(4, numpy.longdouble)])
def test_types_that_no_collective_has(comms, array):
    with pytest.raises((ValueError, TypeError), match="send"):
        comms[0].all_reduce(array)


@pytest.mark.parametrize("thing", [7, "text", object(), [1.0, 2.0], numpy.array(["a", "b"]), numpy.zeros(3, "f4,i4")])
def test_what_is_no_buffer(comms, thing):
    with pytest.raises((ValueError, TypeError), match="all_reduce: send"):
        comms[0].all_reduce(thing, bytearray(8))


@pytest.mark.parametrize("strided", [numpy.zeros(8)[::2], numpy.zeros((4, 4))[:, :2], numpy.zeros((3, 4)).T,
                                     numpy.zeros(8)[::-1], numpy.broadcast_to(numpy.zeros(1), (3,))])
def test_contiguous_only(comms, strided):
    with pytest.raises(ValueError, match="send is not contiguous"):
        comms[0].all_reduce(strided, numpy.zeros(strided.size))


def test_slices_that_are_contiguous(comms):
    arrays = [numpy.ones((6, 1, 3))[2:5, ::2] for _ in comms]
    group(comms, lambda c: c.all_reduce(arrays[c.rank]))
    assert all((array == 4).all() for array in arrays)


def test_read_only(comms):
    fixed = numpy.zeros(4)
    fixed.flags.writeable = False
    for buffer in (fixed, Dlpack(fixed), bytes(32), memoryview(bytes(32))):
        with pytest.raises(ValueError, match="recv is read-only"):
            comms[0].all_reduce(numpy.zeros(4), buffer, dtype="float64")
        with pytest.raises(ValueError, match="send is read-only"):
            comms[0].all_reduce(buffer, dtype="float64")


def test_memory_of_another_device(comms):
    class OnGpu(Dlpack):
        def __dlpack__(self, **settings):
            raise BufferError("on a GPU")

        __cuda_array_interface__ = {"shape": (4,), "typestr": "<f4", "data": (4096, False), "version": 3}

    with pytest.raises(ValueError, match="memory of a GPU, but the communicator is of the back end 'host'"):
        comms[0].all_reduce(OnGpu(None))
    del OnGpu.__cuda_array_interface__
    with pytest.raises(TypeError, match="gives no memory"):
        comms[0].all_reduce(OnGpu(None))


def test_unaligned(comms):
    raw = [bytearray(17) for _ in comms]
    with pytest.raises(ValueError, match="aligned"):
        comms[0].all_reduce(memoryview(raw[0])[1:], dtype="float64")


def test_a_buffer_stays_while_it_is_used(comms):
    """A bytearray cannot be moved while a call waits for its group's end."""
    arrays = [bytearray(4) for _ in comms]
    with blink.group():
        for comm in comms:
            comm.all_reduce(arrays[comm.rank])
        with pytest.raises(BufferError):
            arrays[0].extend(b"more")
    arrays[0].extend(b"more")


def test_temporaries_live_until_the_group_ends(comms):
    recv = [numpy.zeros(100_000) for _ in comms]
    with blink.group():
        for comm in comms:
            comm.all_reduce(numpy.full(100_000, comm.rank + 1.0), recv[comm.rank])
    assert all((array == 10).all() for array in recv)


def test_streams_are_ignored_on_the_host(comms):
    class Torch:
        cuda_stream = 5

    class Cuda:
        def __cuda_stream__(self):
            return (0, 5)

    class Cupy:
        ptr = 5

    for stream in (None, 0, 5, Torch(), Cuda(), Cupy()):
        group(comms, lambda c: c.all_reduce(bytearray(1), stream=stream))
    for stream in ("5", -1, object()):
        with pytest.raises(TypeError, match="stream"):
            comms[0].all_reduce(bytearray(1), stream=stream)
