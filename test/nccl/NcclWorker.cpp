//===- NcclWorker.cpp - a process that is one rank of NCCL's --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Started by NcclProcessesTest:
//
//   blink_nccl_worker SCHEDULE RANKS RANK TIMEOUT_MS SCENARIO
//
// with the job's id, in hexadecimal, in BLINK_TEST_ID. Prints one line: the
// outcome or the error text.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/nccl/EntryPoints.h"

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

int say(const std::string &line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
  return 0;
}

int sayError(ncclResult_t result) {
  say(std::to_string(result) + ": " + ncclGetLastError(nullptr));
  return 1;
}

ncclUniqueId readId() {
  ncclUniqueId id{};
  const char *text = std::getenv("BLINK_TEST_ID");
  for (size_t i = 0; text && i < sizeof(id.internal); ++i) {
    unsigned byte = 0;
    std::sscanf(text + 2 * i, "%2x", &byte);
    id.internal[i] = char(byte);
  }
  return id;
}

/// Sums 1 << rank over the ranks, with their numbers in the first communicator,
/// in `memory`. Returns "" or what is wrong.
std::string wrongSum(ncclComm_t comm, int self, int expected, int *memory,
                     size_t count) {
  std::vector<int> host(count, 1 << self);
  const size_t bytes = count * sizeof(int);
  if (cudaMemcpy(memory, host.data(), bytes, cudaMemcpyHostToDevice) !=
      cudaSuccess)
    return "no memory";
  std::string wrong;
  if (ncclAllReduce(memory, memory, count, blinkInt32, blinkSum, comm,
                    nullptr) != ncclSuccess)
    wrong = ncclGetLastError(comm);
  cudaStreamSynchronize(nullptr);
  cudaMemcpy(host.data(), memory, bytes, cudaMemcpyDeviceToHost);
  ncclResult_t state = ncclSuccess;
  ncclCommGetAsyncError(comm, &state);
  if (wrong.empty() && state != ncclSuccess)
    wrong = std::string("state: ") + ncclGetLastError(comm);
  else if (wrong.empty())
    for (int number : host)
      if (number != expected)
        wrong = "sum " + std::to_string(number);
  return wrong;
}

std::string wrongSum(ncclComm_t comm, int self, int expected) {
  constexpr size_t kCount = 1000;
  int *memory = nullptr;
  if (cudaMalloc(reinterpret_cast<void **>(&memory), kCount * sizeof(int)) !=
      cudaSuccess)
    return "no memory";
  const std::string wrong = wrongSum(comm, self, expected, memory, kCount);
  cudaFree(memory);
  return wrong;
}

/// Computes large sums. Each rank registers its buffer and deregisters it
/// between two sums of its own choice.
std::string registerAtWill(ncclComm_t comm, int self, int expected) {
  constexpr size_t kCount = 100000; // large enough for direct access by others
  void *memory = nullptr, *handle = nullptr;
  if (ncclMemAlloc(&memory, kCount * sizeof(int)) != ncclSuccess)
    return ncclGetLastError(nullptr);
  std::string wrong;
  for (int call = 0; call < 30 && wrong.empty(); ++call) {
    if (call == 3 * (self + 1) &&
        ncclCommRegister(comm, memory, kCount * sizeof(int), &handle) !=
            ncclSuccess)
      return ncclGetLastError(comm);
    if (handle && ncclMemFree(memory) != ncclInvalidUsage)
      return "freed what is registered";
    if (call == 20 + 2 * self) {
      if (ncclCommDeregister(comm, handle) != ncclSuccess)
        return ncclGetLastError(comm);
      handle = nullptr;
    }
    wrong = wrongSum(comm, self, expected, static_cast<int *>(memory), kCount);
  }
  if (ncclMemFree(memory) != ncclSuccess && wrong.empty())
    wrong = ncclGetLastError(nullptr);
  return wrong;
}

/// Splits off the half that this rank is in, which Blink or the fallback
/// serves.
int splitInHalves(ncclComm_t comm, int self, bool fake) {
  ncclComm_t half = nullptr;
  const int color = self / 2;
  if (ncclResult_t result = ncclCommSplit(comm, color, 0, &half, nullptr);
      result != ncclSuccess)
    return sayError(result);
  int rank = -1, count = -1;
  ncclCommUserRank(half, &rank);
  ncclCommCount(half, &count);
  std::string line = std::to_string(rank) + " of " + std::to_string(count);
  if (!fake)
    line += wrongSum(half, self, 3 << (2 * color));
  ncclCommFinalize(half);
  ncclCommDestroy(half);
  return say(line);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 6)
    return say("usage: SCHEDULE RANKS RANK TIMEOUT_MS SCENARIO"), 2;
  const int ranks = std::atoi(argv[2]), self = std::atoi(argv[3]);
  const std::string scenario = argv[5];
  setenv("BLINK_SCHEDULES", argv[1], 1);
  setenv("BLINK_TIMEOUT_MS", argv[4], 1);
  cudaSetDevice(self);
  ncclComm_t comm = nullptr;
  if (ncclResult_t result = ncclCommInitRank(&comm, ranks, readId(), self);
      result != ncclSuccess)
    return sayError(result);
  if (scenario == "vanish" && self == ranks - 1)
    _exit(say("gone"));
  int code = 0;
  if (scenario == "halves" || scenario == "fallback") {
    const bool fake = scenario == "fallback" && self >= 2;
    code = splitInHalves(comm, self, fake);
  } else {
    const int expected = (1 << ranks) - 1;
    const std::string wrong = scenario == "register"
                                  ? registerAtWill(comm, self, expected)
                                  : wrongSum(comm, self, expected);
    say(wrong.empty() ? "good" : wrong);
  }
  ncclCommFinalize(comm);
  ncclCommDestroy(comm);
  return code;
}
