//===- NcclWorker.cpp - one rank of NCCL's interface, a process -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Started by NcclProcessesTest:
//
//   blink_nccl_worker SCHEDULE RANKS RANK TIMEOUT_MS SCENARIO
//
// with the job's id, in hexadecimal, in BLINK_TEST_ID. Prints one line: what
// became of it, or the error's sentence.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/nccl/EntryPoints.h"

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <string>
#include <unistd.h>

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

/// "" if the ranks' numbers, 1 << rank of the first communicator each, sum up.
std::string wrongSum(ncclComm_t comm, int self, int expected) {
  constexpr size_t kCount = 1000;
  int host[kCount], *memory = nullptr;
  for (int &number : host)
    number = 1 << self;
  if (cudaMalloc(reinterpret_cast<void **>(&memory), sizeof(host)) !=
          cudaSuccess ||
      cudaMemcpy(memory, host, sizeof(host), cudaMemcpyHostToDevice) !=
          cudaSuccess)
    return "no memory";
  std::string wrong;
  if (ncclAllReduce(memory, memory, kCount, blinkInt32, blinkSum, comm,
                    nullptr) != ncclSuccess)
    wrong = ncclGetLastError(comm);
  cudaStreamSynchronize(nullptr);
  cudaMemcpy(host, memory, sizeof(host), cudaMemcpyDeviceToHost);
  ncclResult_t state = ncclSuccess;
  ncclCommGetAsyncError(comm, &state);
  if (wrong.empty() && state != ncclSuccess)
    wrong = std::string("state: ") + ncclGetLastError(comm);
  else if (wrong.empty())
    for (int number : host)
      if (number != expected)
        wrong = "sum " + std::to_string(number);
  cudaFree(memory);
  return wrong;
}

/// The half that this rank is in, by Blink or the fallback.
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
    const std::string wrong = wrongSum(comm, self, (1 << ranks) - 1);
    say(wrong.empty() ? "good" : wrong);
  }
  ncclCommFinalize(comm);
  ncclCommDestroy(comm);
  return code;
}
