//===- SplitScenarios.cpp - processes that split --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/SplitScenarios.h"

#include "test/conformance/Floats.h"

#if BLINK_TEST_CUDA
#include <cuda_runtime_api.h>
#endif

#include <csignal>

namespace blink::test {
namespace {

std::string error(blinkComm_t comm) {
  return std::string("error: ") + blinkGetLastError(comm);
}

/// Checks that the sum of what each rank contributes, 1 << its original number,
/// is `expected`. Returns "" or what is wrong.
std::string sumIs(blinkComm_t comm, int self, int expected) {
  for (size_t count : {size_t(1), size_t(5000)}) {
    Floats send(count), recv(count);
    std::fill(send.host.begin(), send.host.end(), float(1 << self));
    send.upload();
    if (blinkAllReduce(send.memory, recv.memory, count, blinkFloat32, blinkSum,
                       comm, nullptr) != blinkSuccess)
      return error(comm);
#if BLINK_TEST_CUDA
    if (cudaStreamSynchronize(nullptr) != cudaSuccess)
      return "cannot synchronize";
#endif
    recv.download();
    for (float got : recv.host)
      if (got != float(expected))
        return "sum " + std::to_string(got) + ", expected " +
               std::to_string(expected);
  }
  return "";
}

/// Splits into even and odd ranks, in reverse order; returns "" or what is
/// wrong.
std::string halves(blinkComm_t comm, int numRanks, int self) {
  blinkComm_t half = nullptr;
  if (blinkCommSplit(comm, self % 2, -self, &half, nullptr) != blinkSuccess)
    return error(comm);
  int sum = 0, place = 0, number = -1;
  for (int rank = self % 2; rank < numRanks; rank += 2) {
    sum += 1 << rank;
    place += rank > self;
  }
  blinkCommUserRank(half, &number);
  std::string wrong = number == place ? sumIs(half, self, sum)
                                      : "is rank " + std::to_string(number);
  blinkCommDestroy(half);
  return wrong;
}

} // namespace

std::string splitScenario(const std::string &scenario, blinkComm_t comm,
                          int numRanks, int self) {
  for (int round = 0; round < 3; ++round)
    if (std::string wrong = halves(comm, numRanks, self); !wrong.empty())
      return wrong;
  if (scenario == "split") {
    const std::string wrong = sumIs(comm, self, (1 << numRanks) - 1);
    return wrong.empty() ? "good" : wrong;
  }
  const int dead = scenario.back() - '0'; // "split-die:0"
  sumIs(comm, self, (1 << numRanks) - 1); // waits until all have split
  if (self == dead)
    raise(SIGKILL);
  const std::string said = halves(comm, numRanks, self);
  return said.find("the process of rank " + std::to_string(dead)) !=
                 std::string::npos
             ? "good"
             : "no good sentence: " + said;
}

} // namespace blink::test
