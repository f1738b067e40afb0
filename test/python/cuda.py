"""Memory and streams of GPUs for tests: CUDA by ctypes, and the two ways in which arrays of GPUs are passed on."""

import ctypes
import threading
from ctypes import c_int, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

import numpy

TO_DEVICE, TO_HOST = 1, 2
CPU, CUDA, CUDA_HOST, CUDA_MANAGED, VULKAN = 1, 2, 3, 13, 7  # DLPack's numbers of devices

_library = ctypes.CDLL("libcudart.so.13")
_library.cudaGetErrorString.restype = ctypes.c_char_p
TYPES = {"cudaMalloc": [c_void_p, c_size_t], "cudaMallocHost": [c_void_p, c_size_t],
         "cudaMemcpy": [c_void_p, c_void_p, c_size_t, c_int], "cudaStreamCreateWithFlags": [c_void_p, c_int],
         "cudaStreamBeginCapture": [c_void_p, c_int], "cudaGraphInstantiate": [c_void_p, c_void_p, c_uint64],
         "cudaGetDeviceCount": [c_void_p], "cudaSetDevice": [c_int]}  # of all others arguments are pointers


def call(name, *arguments):
    function = getattr(_library, name)
    function.argtypes = TYPES.get(name, [c_void_p] * len(arguments))
    result = function(*arguments)
    if result != 0:
        raise RuntimeError(f"{name}: {_library.cudaGetErrorString(result).decode()}")


def use(device):
    call("cudaSetDevice", device)


def wait(device=None):
    """Until all streams of the device are through; all devices' without one."""
    for number in range(devices()) if device is None else [device]:
        use(number)
        call("cudaDeviceSynchronize")


def kind_of(address):
    """0: CUDA does not know the memory; 1: the host's; 2: a GPU's."""
    attributes = (c_int * 64)()
    call("cudaPointerGetAttributes", attributes, address)
    return attributes[0]


def devices():
    count = c_int()
    call("cudaGetDeviceCount", ctypes.byref(count))
    return count.value


class Array:
    """A copy of an array of NumPy in memory of a GPU, or of the kind that `allocate` gives."""

    def __init__(self, device, values, allocate="cudaMalloc"):
        values = numpy.ascontiguousarray(values).reshape(numpy.shape(values))
        self.device, self.shape, self.dtype, self.nbytes = device, values.shape, values.dtype, values.nbytes
        self.free = "cudaFreeHost" if allocate == "cudaMallocHost" else "cudaFree"
        memory = c_void_p()
        use(device)
        call(allocate, ctypes.byref(memory), max(self.nbytes, 1))
        self.address = memory.value
        self.set(values)

    def __del__(self):
        if hasattr(self, "address"):
            use(self.device)
            call(self.free, self.address)

    def set(self, values):
        use(self.device)
        call("cudaMemcpy", self.address, values.ctypes.data, self.nbytes, TO_DEVICE)
        wait(self.device)  # the copy may be under way still, and only the default stream would wait for it

    def get(self):
        """What it holds when all that its GPU has to do is done."""
        wait(self.device)
        return self.peek()

    def peek(self):
        """What it holds now, whatever is in streams that do not wait for the default one."""
        values = numpy.empty(self.shape, self.dtype)
        use(self.device)
        call("cudaMemcpy", values.ctypes.data, self.address, self.nbytes, TO_HOST)
        return values


class Numba(Array):
    """An array with `__cuda_array_interface__`; `fields` replace what it says."""

    fields: dict = {}

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address if self.nbytes else 0, False),
                "strides": None, "version": 3, **self.fields}


class _Tensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32),
                ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16), ("shape", c_void_p), ("strides", c_void_p),
                ("byte_offset", c_uint64)]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", c_void_p), ("deleter", c_void_p)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", c_uint32), ("minor", c_uint32), ("context", c_void_p), ("deleter", c_void_p),
                ("flags", c_uint64), ("tensor", _Tensor)]


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [c_void_p, ctypes.c_char_p, c_void_p]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = c_void_p, [c_void_p, ctypes.c_char_p]
_is = ctypes.pythonapi.PyCapsule_IsValid
_is.restype, _is.argtypes = c_int, [c_void_p, ctypes.c_char_p]
NAMES = b"dltensor", b"dltensor_versioned"

exported: dict = {}
"""What capsules that were given away hold, by address, until it is given back."""


@ctypes.CFUNCTYPE(None, c_void_p)
def _give_back(managed):
    del exported[managed]


@ctypes.CFUNCTYPE(None, c_void_p)
def _drop(capsule):
    """Nobody has taken what the capsule holds."""
    for name in NAMES:
        if _is(capsule, name):
            _give_back(_pointer(capsule, name))


class Dlpack(Array):
    """An array with DLPack, which notes the streams that it was asked for. Its first `skip` rows are left out, by the
    tensor's byte_offset."""

    kind, code, strides, skip, read_only = CUDA, None, None, 0, False

    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **settings)
        self.streams = []

    def __dlpack_device__(self):
        return (self.kind, self.device)

    def __dlpack__(self, *, stream=None, **settings):
        if stream == 0:
            raise ValueError("0 is ambiguous")
        self.streams.append(stream)
        versioned = settings.get("max_version", (0, 0))[0] >= 1
        managed = (_Versioned if versioned else _Managed)()
        tensor = managed.tensor
        shape = (self.shape[0] - self.skip, *self.shape[1:]) if self.skip else self.shape
        numbers = [(c_int64 * len(shape))(*shape), self.strides and (c_int64 * len(shape))(*self.strides)]
        tensor.data, tensor.device_type, tensor.device_id = self.address, self.kind, self.device
        tensor.code = "iuf".index(self.dtype.kind) if self.code is None else self.code
        tensor.ndim, tensor.bits, tensor.lanes = len(shape), 8 * self.dtype.itemsize, 1
        tensor.shape, tensor.strides = (None if n is None else ctypes.addressof(n) for n in numbers)
        tensor.byte_offset = self.skip * self.nbytes // self.shape[0] if self.skip else 0
        managed.deleter = ctypes.cast(_give_back, c_void_p)
        if versioned:
            managed.major, managed.flags = 1, int(self.read_only)
        exported[ctypes.addressof(managed)] = (managed, numbers, self)
        return _new(ctypes.addressof(managed), NAMES[versioned], ctypes.cast(_drop, c_void_p))


class Stream:
    """A stream of its own, which other streams do not wait for."""

    def __init__(self, device):
        self.device = device
        handle = c_void_p()
        use(device)
        call("cudaStreamCreateWithFlags", ctypes.byref(handle), 1)
        self.number = handle.value

    def hold(self):
        """Whatever comes into the stream next waits until the function that this returns is called."""
        event = threading.Event()
        self.function = ctypes.CFUNCTYPE(None, c_void_p)(lambda _: event.wait(60))
        use(self.device)
        call("cudaLaunchHostFunc", self.number, ctypes.cast(self.function, c_void_p), None)
        return event.set

    def begin_capture(self):
        call("cudaStreamBeginCapture", self.number, 2)  # what other threads do is no matter

    def end_capture(self):
        """A function that launches what was captured."""
        graph, executable = c_void_p(), c_void_p()
        call("cudaStreamEndCapture", self.number, ctypes.byref(graph))
        call("cudaGraphInstantiate", ctypes.byref(executable), graph, 0)
        return lambda: call("cudaGraphLaunch", executable, self.number)
