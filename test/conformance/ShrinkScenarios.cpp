//===- ShrinkScenarios.cpp - processes that go on without others ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What a worker does when others die (Worker.cpp). Every rank contributes
// numbers of its own, so that a sum shows whose numbers are in it.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/ShrinkScenarios.h"

#include "runtime/host/RankRun.h"
#include "runtime/job/Shrink.h"
#include "test/conformance/Floats.h"
#include "test/conformance/Latches.h"
#if BLINK_TEST_EMULATED
#include "test/emulation/Emulation.h"
#endif

#if BLINK_TEST_CUDA
#include <cuda_runtime_api.h>
#endif

#include "doctest/doctest.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <unistd.h>
#include <vector>

namespace blink::test {
namespace {

/// Number of folds until this process dies; on emulated devices, of its lanes'
/// barriers.
std::atomic<int> passes{-1};
runtime::ShrinkStage stage; ///< the stage at which it dies instead
/// If not empty, the process waits for this file before it dies.
std::string waitsFor;

bool exists(const std::string &path) { return access(path.c_str(), F_OK) == 0; }

void strike() {
  if (!waitsFor.empty())
    waitUntil([] { return exists(waitsFor); });
  raise(SIGKILL);
}

void stepHook(int, uint32_t, uint32_t, uint64_t, runtime::HostRings &) {
  if (passes.fetch_sub(1) == 0)
    strike();
}

void stageHook(int, runtime::ShrinkStage reached) {
  if (reached == stage)
    strike();
}

#if BLINK_TEST_EMULATED
void barrierHook(const runtime::Launch &, unsigned, unsigned thread, unsigned) {
  if (thread == 0 && passes.fetch_sub(1) == 0)
    strike();
}
#endif

void dieAfter(int times) {
  passes = times;
  runtime::stepHook = stepHook;
#if BLINK_TEST_EMULATED
  laneHook = barrierHook;
#endif
}

/// An allreduce, out of place, that is called repeatedly.
class Sum {
public:
  Sum(size_t count, int self) : send(count), recv(count), self(self) {
    for (size_t i = 0; i < count; ++i)
      send.host[i] = part(self, i);
    send.upload();
  }

  blinkResult_t call(blinkComm_t comm) {
    blinkResult_t result =
        blinkAllReduce(send.memory, recv.memory, send.host.size(), blinkFloat32,
                       blinkSum, comm, nullptr);
#if BLINK_TEST_CUDA
    if (result == blinkSuccess && cudaStreamSynchronize(nullptr) != cudaSuccess)
      return blinkUnhandledCudaError;
    if (result == blinkSuccess)
      blinkCommGetAsyncError(comm, &result);
#endif
    return result;
  }

  /// Calls until a call fails, at most 1000 times; returns the last result.
  blinkResult_t untilError(blinkComm_t comm) {
    blinkResult_t result = blinkSuccess;
    for (int i = 0; i < 1000 && result == blinkSuccess; ++i)
      result = call(comm);
    return result;
  }

  /// Makes some calls and checks that the sums are those of `ranks`. Returns ""
  /// or what is wrong.
  std::string rightFor(blinkComm_t comm, const Ranks &ranks) {
    int count = 0;
    blinkCommCount(comm, &count);
    if (count != int(ranks.size()))
      return "has " + std::to_string(count) + " ranks";
    for (int round = 0; round < 5; ++round) {
      std::fill(recv.host.begin(), recv.host.end(), -1.0f);
      recv.upload();
      if (blinkResult_t result = call(comm); result != blinkSuccess)
        return std::string(blinkGetErrorString(result)) + ": " +
               blinkGetLastError(comm);
      recv.download();
      send.download();
      for (size_t i = 0; i < recv.host.size(); ++i) {
        float sum = 0;
        for (int rank : ranks)
          sum += part(rank, i);
        if (recv.host[i] != sum)
          return "wrong sum at " + std::to_string(i);
        if (send.host[i] != part(self, i))
          return "the input changed at " + std::to_string(i);
      }
    }
    return "";
  }

  static float part(int rank, size_t i) {
    return float((1 << rank) * int(1 + i % 7));
  }

  Floats send, recv;
  int self;
};

/// Calls blinkCommShrink and replaces `comm` by the result. Returns "" or the
/// error.
std::string shrink(blinkComm_t &comm, const Ranks &excluded) {
  blinkComm_t next = nullptr;
  const blinkResult_t result = blinkCommShrink(
      comm, excluded.data(), int(excluded.size()), &next, nullptr);
  if (result != blinkSuccess)
    return std::string(blinkGetErrorString(result)) + ": " +
           blinkGetLastError(comm);
  blinkCommDestroy(comm);
  comm = next;
  return "";
}

std::string good(const std::string &wrong) {
  return wrong.empty() ? "good" : wrong;
}

/// Rank `dead` dies in a call; the others go on with the same buffers.
std::string goOn(blinkComm_t &comm, int numRanks, Sum &sum, int dead) {
  if (sum.untilError(comm) != blinkRemoteError)
    return std::string("no remote error: ") + blinkGetLastError(comm);
  std::string wrong = shrink(comm, {dead});
  return wrong.empty() ? sum.rightFor(comm, without(numRanks, {dead})) : wrong;
}

/// All ranks of a list die, for example those of one server, each in some call.
std::string loseMany(blinkComm_t &comm, int numRanks, Sum &sum, int self,
                     const Ranks &dead) {
  const blinkResult_t result = sum.untilError(comm);
  if (std::find(dead.begin(), dead.end(), self) != dead.end())
    raise(SIGKILL); // another rank died first
  if (result != blinkRemoteError)
    return std::string("no remote error: ") + blinkGetLastError(comm);
  std::string wrong = shrink(comm, dead);
  return wrong.empty() ? sum.rightFor(comm, without(numRanks, dead)) : wrong;
}

bool differs(const std::string &said) {
  return said.find("invalid usage: the ranks shrink the communicator "
                   "differently: rank ") == 0;
}

/// Shrinks repeatedly while other ranks have not yet heard of the new request.
std::string shrinkAgain(blinkComm_t &comm, const Ranks &excluded) {
  std::string wrong;
  int attempts = 0;
  do
    wrong = shrink(comm, excluded);
  while ((differs(wrong) ||
          wrong.find("gave up shrinking") != std::string::npos) &&
         ++attempts < 1000);
  return wrong;
}

/// Rank `second` dies while the others shrink, and the rest try again. Says
/// whether the first attempt failed or gave a new communicator.
std::string dieShrinking(blinkComm_t &comm, int numRanks, Sum &sum, int second,
                         int self) {
  const int last = numRanks - 1;
  if (self == last)
    raise(SIGKILL);
  if (self == second)
    runtime::shrinkHook = stageHook;
  std::string wrong = shrink(comm, {last});
  const bool both = !wrong.empty();
  if (both && wrong.find("remote error: ") != 0 && !differs(wrong))
    return wrong;
  if (both)
    wrong = shrinkAgain(comm, {second, last});
  else if (sum.untilError(comm) == blinkRemoteError)
    wrong = shrink(comm, {second});
  if (wrong.empty())
    wrong = sum.rightFor(comm, without(numRanks, {second, last}));
  // The other ranks had the same outcome, or the sum would not have come.
  return wrong.empty() ? std::string("good, ") + (both ? "again" : "at once")
                       : wrong;
}

/// Ranks first ask for different things, get an error, and then ask for the
/// same.
std::string differ(blinkComm_t &comm, int numRanks, Sum &sum, int self) {
  const std::string said =
      shrink(comm, self == 0 ? Ranks{numRanks - 1} : Ranks{});
  // A late rank may find that the others have already changed their request.
  if (said.empty() && self != 0)
    return good(sum.rightFor(comm, without(numRanks, {})));
  // Or one of them had heard of rank 0's request before it changed its own.
  const bool late =
      self != 0 && said.find("gave up shrinking") != std::string::npos;
  const std::string asked =
      "rank 0 excludes rank " + std::to_string(numRanks - 1);
  if (!late && (!differs(said) || said.find(asked) == std::string::npos ||
                said.find(" excludes no rank") == std::string::npos))
    return "no good sentence: " + said;
  // Rank 0 may still be waiting for a rank that has not heard of the
  // difference.
  const std::string wrong = shrinkAgain(comm, {});
  return good(wrong.empty() ? sum.rightFor(comm, without(numRanks, {}))
                            : wrong);
}

/// The last rank is excluded, but calls nevertheless.
std::string intrude(blinkComm_t &comm, int numRanks, Sum &sum, int self) {
  const int last = numRanks - 1;
  if (self != last) {
    std::string wrong = shrink(comm, {last});
    return good(wrong.empty() ? sum.rightFor(comm, without(numRanks, {last}))
                              : wrong);
  }
  const std::string own = shrink(comm, {last});
  if (own.find("invalid argument: rank " + std::to_string(last) +
               " is excluded") != 0)
    return own;
  // The others are about to shrink, or have shrunk and left.
  const std::string other = shrink(comm, {});
  return other.find("shrink the communicator differently") !=
                     std::string::npos ||
                 other.find("has been destroyed") != std::string::npos ||
                 other.find("gave up shrinking") != std::string::npos
             ? "good"
             : "no good sentence: " + other;
}

/// The last rank's kernel stops midway while it can still write to the others'
/// outputs.
std::string linger(blinkComm_t &comm, int numRanks, Sum &sum, int self,
                   const std::string &flag) {
  const int last = numRanks - 1;
  void *handle = nullptr;
  if (blinkCommRegister(comm, sum.recv.memory,
                        sum.recv.host.size() * sizeof(float),
                        &handle) != blinkSuccess)
    return blinkGetLastError(comm);
  if (self == last)
    waitsFor = flag;
  if (sum.untilError(comm) != blinkRemoteError)
    return std::string("no remote error: ") + blinkGetLastError(comm);
  const std::string early = shrink(comm, {last});
  const auto signal = [](const std::string &path) {
    if (FILE *file = std::fopen(path.c_str(), "w"))
      std::fclose(file);
  };
  if (early.find("remote error: rank " + std::to_string(last) +
                 " may still write to registered buffers") != 0) {
    signal(flag); // otherwise the last rank would never die
    return "not held back: " + early;
  }
  // Wait until all ranks have been held back: for a slower rank the flag would
  // come too early.
  signal(flag + std::to_string(self));
  for (int rank = 0; rank < last; ++rank)
    if (!waitUntil([&] { return exists(flag + std::to_string(rank)); }))
      return "rank " + std::to_string(rank) + " was not held back";
  signal(flag);
  std::string wrong;
  do
    wrong = shrink(comm, {last});
  while (wrong.find("may still write") != std::string::npos);
  return good(wrong.empty() ? sum.rightFor(comm, without(numRanks, {last}))
                            : wrong);
}

} // namespace

std::string shrinkScenario(const std::string &scenario, blinkComm_t &comm,
                           int numRanks, int self, const std::string &flag) {
  // The large size makes others borrow the buffers, or gives many chunks.
  const bool large = scenario.find("large") != std::string::npos;
  Sum sum(large ? 300007 : 100, self);
  sum.call(comm); // a rank that has its result knows that all have joined
  int rank = 0, times = 0;
  unsigned lost = 0;
  if (std::sscanf(scenario.c_str(), "shrink-lose:%x:%d", &lost, &times) == 2) {
    Ranks dead;
    for (int other = 0; other < numRanks; ++other)
      if (lost >> other & 1)
        dead.push_back(other);
    if (lost >> self & 1)
      dieAfter(times);
    return good(loseMany(comm, numRanks, sum, self, dead));
  }
  if (std::sscanf(scenario.c_str(), "shrink-die:%d:%d", &rank, &times) == 2) {
    stage = runtime::ShrinkStage(times);
    return dieShrinking(comm, numRanks, sum, rank, self);
  }
  if (std::sscanf(scenario.c_str(), "%*[a-z-]:%d:%d", &rank, &times) == 2) {
    if (rank == self)
      dieAfter(times);
    if (scenario.find("shrink-linger") == 0)
      return linger(comm, numRanks, sum, self, flag);
    return good(goOn(comm, numRanks, sum, rank));
  }
  if (scenario == "shrink-twice") { // first rank 1 dies, then the last
    if (self == 1)
      dieAfter(3);
    std::string wrong = goOn(comm, numRanks, sum, 1);
    if (!wrong.empty())
      return wrong;
    if (self == numRanks - 1) {
      // When this call returns, all others have begun it and have finished
      // those before. Chunks that this rank sent last may be lost with it.
      sum.call(comm);
      raise(SIGKILL);
    }
    if (sum.untilError(comm) != blinkRemoteError)
      return std::string("no second error: ") + blinkGetLastError(comm);
    wrong = shrink(comm, {numRanks - 2}); // the dead rank's new number
    return good(wrong.empty()
                    ? sum.rightFor(comm, without(numRanks, {1, numRanks - 1}))
                    : wrong);
  }
  if (scenario == "shrink-differ")
    return differ(comm, numRanks, sum, self);
  if (scenario == "shrink-intrude")
    return intrude(comm, numRanks, sum, self);
  return "no such scenario: " + scenario;
}

} // namespace blink::test
