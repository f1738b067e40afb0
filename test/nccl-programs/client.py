#!/usr/bin/env python3
"""A client of NCCL's through ctypes, in the shape of vLLM's: all names are looked up when the library is loaded, the id is
passed by value, and ranks are processes that know of each other only that id.

usage: client.py RANKS

It finds libnccl.so.2 and libcudart.so.13 as any program does. Exit code 1: a result is wrong, or a rank failed.
"""
import array
import ctypes
import multiprocessing
import queue
import sys
import traceback

COUNT = 1000
FLOAT, INT32, SUM, MAX = 7, 2, 0, 2
TO_DEVICE, TO_HOST = 1, 2
SECONDS = 120


class UniqueId(ctypes.Structure):
    _fields_ = [("internal", ctypes.c_byte * 128)]


pointer, size, number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
FUNCTIONS = {
    "ncclGetErrorString": (ctypes.c_char_p, [number]),
    "ncclGetVersion": (number, [ctypes.POINTER(number)]),
    "ncclGetUniqueId": (number, [ctypes.POINTER(UniqueId)]),
    "ncclCommInitRank": (number, [ctypes.POINTER(pointer), number, UniqueId, number]),
    "ncclAllReduce": (number, [pointer, pointer, size, number, number, pointer, pointer]),
    "ncclReduce": (number, [pointer, pointer, size, number, number, number, pointer, pointer]),
    "ncclAllGather": (number, [pointer, pointer, size, number, pointer, pointer]),
    "ncclReduceScatter": (number, [pointer, pointer, size, number, number, pointer, pointer]),
    "ncclSend": (number, [pointer, size, number, number, pointer, pointer]),
    "ncclRecv": (number, [pointer, size, number, number, pointer, pointer]),
    "ncclBroadcast": (number, [pointer, pointer, size, number, number, pointer, pointer]),
    "ncclCommDestroy": (number, [pointer]),
    "ncclGroupStart": (number, []),
    "ncclGroupEnd": (number, []),
    "ncclCommWindowRegister": (number, [pointer, pointer, size, ctypes.POINTER(pointer), number]),
    "ncclCommWindowDeregister": (number, [pointer, pointer]),
}


class Nccl:
    """The library: an AttributeError if one name is missing, a RuntimeError if a call fails."""

    def __init__(self):
        library = ctypes.CDLL("libnccl.so.2")
        self.functions = {}
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
            self.functions[name] = function

    def __getattr__(self, name):
        def call(*arguments):
            result = self.functions[name](*arguments)
            if result != 0:
                raise RuntimeError(f"{name}: {self.functions['ncclGetErrorString'](result).decode()}")
        return call


class Cuda:
    def __init__(self, device):
        self.library = ctypes.CDLL("libcudart.so.13")
        self.library.cudaGetErrorString.restype = ctypes.c_char_p
        self("cudaSetDevice", device)

    def __call__(self, name, *arguments):
        result = getattr(self.library, name)(*arguments)
        if result != 0:
            raise RuntimeError(f"{name}: {self.library.cudaGetErrorString(result).decode()}")

    def buffer(self, values):
        """Values on the device."""
        memory = pointer()
        self("cudaMalloc", ctypes.byref(memory), size(len(values) * values.itemsize))
        self("cudaMemcpy", memory, pointer(values.buffer_info()[0]), size(len(values) * values.itemsize), TO_DEVICE)
        return memory

    def read(self, memory, code, count):
        values = array.array(code, bytes(count * array.array(code).itemsize))
        self("cudaDeviceSynchronize")
        self("cudaMemcpy", pointer(values.buffer_info()[0]), memory, size(count * values.itemsize), TO_HOST)
        return list(values)


def expect(what, got, want):
    if got != want:
        at = next(i for i, pair in enumerate(zip(got, want)) if pair[0] != pair[1])
        raise AssertionError(f"{what}: element {at} is {got[at]}, not {want[at]}")


def run(rank, ranks, nccl, id):
    cuda = Cuda(rank)
    comm, stream = pointer(), pointer()
    nccl.ncclCommInitRank(ctypes.byref(comm), ranks, id, rank)
    cuda("cudaStreamCreate", ctypes.byref(stream))
    part = COUNT // ranks
    all = part * ranks
    given = array.array("f", [float(rank * 10 + i) for i in range(all)])
    send, recv = cuda.buffer(given), cuda.buffer(array.array("f", [-1.0] * all))
    tens = 10.0 * sum(range(ranks))

    nccl.ncclAllReduce(send, recv, all, FLOAT, SUM, comm, stream)
    expect("allreduce", cuda.read(recv, "f", all), [tens + ranks * i for i in range(all)])
    nccl.ncclReduce(send, recv, all, FLOAT, MAX, ranks - 1, comm, stream)
    if rank == ranks - 1:
        expect("reduce", cuda.read(recv, "f", all), [(ranks - 1) * 10.0 + i for i in range(all)])
    nccl.ncclAllGather(send, recv, part, FLOAT, comm, stream)
    expect("allgather", cuda.read(recv, "f", all), [i // part * 10.0 + i % part for i in range(all)])
    nccl.ncclReduceScatter(send, recv, part, FLOAT, SUM, comm, stream)
    expect("reducescatter", cuda.read(recv, "f", part), [tens + ranks * (rank * part + i) for i in range(part)])
    nccl.ncclBroadcast(send, recv, all, FLOAT, 1, comm, stream)
    expect("broadcast", cuda.read(recv, "f", all), [10.0 + i for i in range(all)])

    nccl.ncclGroupStart()
    nccl.ncclSend(send, all, FLOAT, (rank + 1) % ranks, comm, stream)
    nccl.ncclRecv(recv, all, FLOAT, (rank - 1) % ranks, comm, stream)
    nccl.ncclGroupEnd()
    expect("sendrecv", cuda.read(recv, "f", all), [(rank - 1) % ranks * 10.0 + i for i in range(all)])

    window = pointer()
    nccl.ncclCommWindowRegister(comm, recv, all * 4, ctypes.byref(window), 1)
    for _ in range(3):  # in place, in a buffer that is registered
        nccl.ncclBroadcast(recv, recv, all, FLOAT, 0, comm, stream)
        nccl.ncclAllReduce(recv, recv, all, FLOAT, MAX, comm, stream)
    expect("in place", cuda.read(recv, "f", all), [(ranks - 1) * 10.0 + i for i in range(all)])
    nccl.ncclCommWindowDeregister(comm, window)
    try:
        nccl.ncclAllReduce(send, recv, all, 99, SUM, comm, stream)
    except RuntimeError as error:
        if "invalid argument" not in str(error).lower():
            raise
    else:
        raise AssertionError("a type that there is not was taken")
    nccl.ncclCommDestroy(comm)
    for memory in (send, recv):
        cuda("cudaFree", memory)
    return 8


def main_of_rank(rank, ranks, ids, results):
    try:
        nccl = Nccl()
        id = UniqueId()
        if rank == 0:
            nccl.ncclGetUniqueId(ctypes.byref(id))
            for _ in range(ranks - 1):
                ids.put(bytes(id))
        else:
            ctypes.memmove(ctypes.byref(id), ids.get(timeout=SECONDS), 128)
        results.put((rank, run(rank, ranks, nccl, id), ""))
    except Exception:
        results.put((rank, 0, traceback.format_exc()))


def main():
    ranks = int(sys.argv[1])
    version = ctypes.c_int()
    Nccl().ncclGetVersion(ctypes.byref(version))
    context = multiprocessing.get_context("spawn")
    ids, results = context.Queue(), context.Queue()
    processes = [context.Process(target=main_of_rank, args=(rank, ranks, ids, results)) for rank in range(ranks)]
    for process in processes:
        process.start()
    failed = passed = 0
    for _ in processes:
        try:
            rank, checks, error = results.get(timeout=SECONDS)
        except queue.Empty:
            print("a rank said nothing in time", file=sys.stderr)
            failed += 1
            break
        passed += checks
        if error:
            print(f"rank {rank}: {error}", file=sys.stderr)
            failed += 1
    for process in processes:
        process.join(10)
        if process.is_alive():
            process.kill()
            failed += 1
        failed += process.exitcode != 0
    print(f"NCCL {version.value}: {ranks} processes, {passed} results right, {failed} failures")
    return 1 if failed or passed != 8 * ranks else 0


if __name__ == "__main__":
    sys.exit(main())
