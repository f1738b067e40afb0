//===- Ranks.cpp - a thread's ranks, their GPUs and buffers ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/nccl-programs/Ranks.h"

#include "test/emulation/HostKernels.h"

#include <cstring>
#include <thread>

namespace {

constexpr unsigned kBlocks = 2, kThreads = 32;

/// Each thread compares some elements and counts those that differ.
__global__ void compare(const char *got, const char *want, size_t elementBytes,
                        size_t count, unsigned *wrong) {
  const unsigned self = blockIdx.x * blockDim.x + threadIdx.x;
  wrong[self] = 0;
  for (size_t i = self; i < count; i += size_t(gridDim.x) * blockDim.x) {
    bool same = true;
    for (size_t b = 0; b < elementBytes; ++b)
      same = same && got[i * elementBytes + b] == want[i * elementBytes + b];
    wrong[self] += !same;
  }
}

} // namespace

BLINK_EMULATED_KERNEL(compare)

namespace perf {
namespace {

/// Bytes behind each buffer that must not be written.
constexpr size_t kGuard = 64;
constexpr char kUntouched = char(0xa5);

/// Returns the elements of a rank's input, as bytes.
std::vector<char> inputBytes(const Input &input, int rank, size_t count) {
  std::vector<char> bytes(count * input.type.bytes);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t bits = input.at(rank, i);
    std::memcpy(&bytes[i * input.type.bytes], &bits, input.type.bytes);
  }
  return bytes;
}

/// Returns the offset of a rank's part in the larger buffer of an in-place
/// call.
size_t offsetOf(bool isPart, const Case &what, int rank) {
  return isPart ? size_t(rank) * what.count * what.type.bytes : 0;
}

} // namespace

Ranks::Ranks(const Options &options, int first)
    : options_(options), all_(options.threads * options.gpus) {
  // If no call has any bytes there are no buffers: programs pass NULL then.
  capacity_ = options.maxBytes == 0 ? 0 : options.maxBytes + kGuard;
  for (int r = 0; r < options.gpus; ++r) {
    Rank rank;
    rank.number = first + r;
    CUDA_CHECK(cudaSetDevice(rank.number));
    CUDA_CHECK(cudaStreamCreateWithFlags(&rank.stream, cudaStreamNonBlocking));
    for (char **buffer : {&rank.send, &rank.recv})
      if (options.registration != 0 && capacity_ != 0)
        NCCL_CHECK(ncclMemAlloc(reinterpret_cast<void **>(buffer), capacity_));
      else
        CUDA_CHECK(cudaMalloc(reinterpret_cast<void **>(buffer), capacity_));
    CUDA_CHECK(cudaMalloc(reinterpret_cast<void **>(&rank.want), capacity_));
    CUDA_CHECK(cudaMalloc(reinterpret_cast<void **>(&rank.wrong),
                          kBlocks * kThreads * sizeof(unsigned)));
    CUDA_CHECK(cudaMalloc(&rank.scalar, sizeof(uint64_t)));
    ranks.push_back(rank);
  }
}

void Ranks::makeComms(const std::vector<Rank *> &ranks, int number,
                      ncclUniqueId id) {
  NCCL_CHECK(ncclGroupStart());
  for (Rank *rank : ranks) {
    CUDA_CHECK(cudaSetDevice(rank->number));
    NCCL_CHECK(ncclCommInitRank(&rank->comm, number, id, rank->number));
  }
  NCCL_CHECK(ncclGroupEnd());
}

void Ranks::registerBuffers() {
  for (Rank &rank : ranks)
    for (int i = 0; i < 2 && capacity_ != 0; ++i) {
      char *buffer = i == 0 ? rank.send : rank.recv;
      if (options_.registration == 1)
        NCCL_CHECK(
            ncclCommRegister(rank.comm, buffer, capacity_, &rank.handles[i]));
      else if (options_.registration == 2)
        NCCL_CHECK(ncclCommWindowRegister(rank.comm, buffer, capacity_,
                                          &rank.windows[i],
                                          NCCL_WIN_COLL_SYMMETRIC));
    }
}

void Ranks::finish() {
  for (Rank &rank : ranks) {
    CUDA_CHECK(cudaSetDevice(rank.number));
    for (int i = 0; i < 2; ++i) {
      if (rank.handles[i])
        NCCL_CHECK(ncclCommDeregister(rank.comm, rank.handles[i]));
      if (rank.windows[i])
        NCCL_CHECK(ncclCommWindowDeregister(rank.comm, rank.windows[i]));
    }
    NCCL_CHECK(ncclCommDestroy(rank.comm));
    for (char *buffer : {rank.send, rank.recv})
      if (options_.registration != 0 && capacity_ != 0)
        NCCL_CHECK(ncclMemFree(buffer));
      else
        CUDA_CHECK(cudaFree(buffer));
    CUDA_CHECK(cudaFree(rank.want));
    CUDA_CHECK(cudaFree(rank.wrong));
    CUDA_CHECK(cudaFree(rank.scalar));
    CUDA_CHECK(cudaStreamDestroy(rank.stream));
  }
}

void Ranks::fill(const Case &what) {
  const Input input{what.type, what.op, all_, what.seed};
  for (const Rank &rank : ranks) {
    if (capacity_ == 0)
      continue;
    CUDA_CHECK(cudaSetDevice(rank.number));
    for (char *buffer : {rank.send, rank.recv})
      CUDA_CHECK(cudaMemset(buffer, kUntouched, capacity_));
    const std::vector<char> bytes =
        inputBytes(input, rank.number, what.collective.sent(what.count, all_));
    char *to =
        const_cast<char *>(static_cast<const char *>(callOf(rank, what).send));
    CUDA_CHECK(
        cudaMemcpy(to, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaDeviceSynchronize());
  }
}

void Ranks::makeOps(const Case &what) {
  const Input input{what.type, what.op, all_, what.seed};
  for (Rank &rank : ranks) {
    rank.op = what.op.number;
    if (!what.collective.hasOp || !what.op.isMulSum)
      continue;
    uint64_t bits = input.scalar(rank.number);
    void *scalar = &bits;
    if (what.op.isOnDevice) {
      CUDA_CHECK(cudaSetDevice(rank.number));
      CUDA_CHECK(cudaMemcpy(rank.scalar, &bits, what.type.bytes,
                            cudaMemcpyHostToDevice));
      CUDA_CHECK(cudaDeviceSynchronize());
      scalar = rank.scalar;
    }
    NCCL_CHECK(ncclRedOpCreatePreMulSum(
        &rank.op, scalar, what.type.number,
        what.op.isOnDevice ? ncclScalarDevice : ncclScalarHostImmediate,
        rank.comm));
  }
}

void Ranks::dropOps(const Case &what) {
  for (const Rank &rank : ranks)
    if (what.collective.hasOp && what.op.isMulSum)
      NCCL_CHECK(ncclRedOpDestroy(rank.op, rank.comm));
}

Call Ranks::callOf(const Rank &rank, const Case &what) const {
  const Collective &of = what.collective;
  char *send = rank.send, *recv = rank.recv;
  if (what.inPlace) {
    // There is one buffer; the smaller side is the rank's own part of the
    // larger one.
    send = recv + offsetOf(of.receivesAll && !of.sendsAll, what, rank.number);
    recv += offsetOf(of.sendsAll && !of.receivesAll, what, rank.number);
  }
  return {send,
          recv,
          what.count,
          what.type.number,
          what.type.bytes,
          rank.op,
          what.root,
          rank.number,
          all_,
          rank.comm,
          rank.stream};
}

void Ranks::enqueue(const Case &what) {
  if (ranks.size() > 1)
    NCCL_CHECK(ncclGroupStart());
  for (const Rank &rank : ranks) {
    // NCCL knows the communicator's device and sets it itself.
    NCCL_CHECK(what.collective.run(callOf(rank, what)));
  }
  if (ranks.size() > 1)
    NCCL_CHECK(ncclGroupEnd());
}

void Ranks::wait() {
  for (const Rank &rank : ranks)
    for (;;) {
      const cudaError_t state = cudaStreamQuery(rank.stream);
      if (state == cudaSuccess)
        break;
      if (state != cudaErrorNotReady)
        die("cudaStreamQuery", cudaGetErrorString(state), __FILE__, __LINE__);
      cudaGetLastError();
      ncclResult_t error = ncclSuccess;
      NCCL_CHECK(ncclCommGetAsyncError(rank.comm, &error));
      if (error != ncclSuccess)
        die("ncclCommGetAsyncError", ncclGetLastError(rank.comm), __FILE__,
            __LINE__);
      std::this_thread::yield();
    }
}

size_t Ranks::countDifferent(const Rank &rank, const char *got,
                             const std::vector<char> &want,
                             size_t elementBytes) {
  if (want.empty())
    return 0;
  CUDA_CHECK(
      cudaMemcpy(rank.want, want.data(), want.size(), cudaMemcpyHostToDevice));
  const char *there = rank.want;
  unsigned *wrong = rank.wrong;
  size_t count = want.size() / elementBytes;
  void *arguments[] = {&got, &there, &elementBytes, &count, &wrong};
  CUDA_CHECK(cudaLaunchKernel(reinterpret_cast<const void *>(&compare),
                              dim3(kBlocks), dim3(kThreads), arguments, 0,
                              nullptr));
  unsigned counts[kBlocks * kThreads];
  CUDA_CHECK(
      cudaMemcpy(counts, rank.wrong, sizeof(counts), cudaMemcpyDeviceToHost));
  size_t sum = 0;
  for (const unsigned one : counts)
    sum += one;
  return sum;
}

size_t Ranks::countWrong(const Case &what) {
  const Collective &of = what.collective;
  const Input input{what.type, what.op, all_, what.seed};
  const size_t bytes = what.type.bytes;
  size_t wrong = 0;
  for (const Rank &rank : ranks) {
    if (capacity_ == 0)
      continue;
    CUDA_CHECK(cudaSetDevice(rank.number));
    const Call call = callOf(rank, what);
    const size_t number = of.received(what.count, all_);
    std::vector<char> want(number * bytes, kUntouched);
    if (what.inPlace && of.sendsAll == of.receivesAll)
      want = inputBytes(input, rank.number, number); // the former contents
    const bool isRoot = !of.hasRoot || rank.number == what.root;
    for (size_t i = 0; i < number; ++i)
      if (const auto bits =
              of.expected(input, rank.number, what.root, what.count, i))
        std::memcpy(&want[i * bytes], &*bits, bytes);
    // In place, in a gather, other ranks have their part where the receive
    // buffer would be.
    if (isRoot || !what.inPlace || !of.receivesAll)
      wrong +=
          countDifferent(rank, static_cast<char *>(call.recv), want, bytes);
    // Check the guards behind the buffers, and that the input has not changed.
    const std::vector<char> guard(kGuard, kUntouched);
    const size_t largest = bytes * std::max(number, of.sent(what.count, all_));
    wrong += countDifferent(
        rank, rank.recv + (what.inPlace ? largest : number * bytes), guard, 1);
    if (!what.inPlace)
      wrong += countDifferent(
          rank, rank.send,
          inputBytes(input, rank.number, of.sent(what.count, all_)), bytes);
  }
  return wrong;
}

} // namespace perf
