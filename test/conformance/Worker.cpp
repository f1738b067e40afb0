//===- Worker.cpp - one rank of a job of several processes ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Started by ProcessesTest and ShrinkProcessesTest:
//
//   blink_conformance_worker SCHEDULE RANKS RANK TIMEOUT_MS SCENARIO
//
// (or blink_emulated_worker on emulated devices, blink_cuda_worker on real
// ones) with the job's id, in hexadecimal, in BLINK_TEST_ID. Prints one line:
// "good", or the name of the result and the error text.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Memory.h"
#include "runtime/host/RankRun.h"
#include "test/conformance/Elements.h"
#include "test/conformance/Forbid.h"
#include "test/conformance/Places.h"
#include "test/conformance/RegisteredScenarios.h"
#include "test/conformance/ShrinkScenarios.h"
#include "test/conformance/SplitScenarios.h"
#include "test/conformance/WindowScenarios.h"
#include "test/conformance/WorkerState.h"
#if BLINK_TEST_EMULATED
#include "test/conformance/SwitchScenarios.h"
#include "test/emulation/Emulation.h"
#endif

// This program has no test cases, but Job uses doctest's assertions.
#define DOCTEST_CONFIG_IMPLEMENT
#include "doctest/doctest.h"
#include "schedules/Collectives.h"

#if BLINK_TEST_CUDA
#include <cuda_runtime_api.h>
#endif

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace blink;
using namespace blink::test;

namespace {

int say(const std::string &line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
  return line == "good" ? 0 : 1;
}

int sayError(blinkResult_t result) {
  // Only the communicator has the text of a kernel's error.
  return say(std::string(blinkGetErrorString(result)) + ": " +
             blinkGetLastError(comm));
}

/// Waits for the call and returns its result; on GPUs, that of the kernel.
blinkResult_t synchronized(blinkResult_t result) {
#if BLINK_TEST_CUDA
  if (result == blinkSuccess && cudaStreamSynchronize(nullptr) != cudaSuccess)
    return blinkUnhandledCudaError;
  if (result == blinkSuccess)
    blinkCommGetAsyncError(comm, &result);
#endif
  return result;
}

//===-- Faults ------------------------------------------------------------===//

// The number of folds of this process until the fault strikes.
std::atomic<int> foldsLeft{-1};

bool strikes() { return foldsLeft.fetch_sub(1) == 0; }

// The place where the process dies after it has been there foldsLeft times.
Place target;

void killHook(int rank, uint32_t lane, uint32_t step, uint64_t,
              runtime::HostRings &) {
  if (target == Place{rank, lane, step} && strikes())
    raise(SIGKILL);
}

#if BLINK_TEST_EMULATED
/// Kills the process before a barrier of the lane; the place's step is the
/// barrier.
void killAtBarrier(const runtime::Launch &, unsigned block, unsigned thread,
                   unsigned barrier) {
  if (target == Place{self, block, barrier} && thread == 0 && strikes())
    raise(SIGKILL);
}
#endif

void delayHook(int, uint32_t, uint32_t, uint64_t, runtime::HostRings &) {
  // The delay under test: a rank that is late and waits for no other.
  if (foldsLeft.fetch_sub(1) >= 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

/// Corrupts the counters: from then on the rank waits for chunks that no rank
/// sends.
void corruptHook(int, uint32_t, uint32_t, uint64_t, runtime::HostRings &rings) {
  if (strikes())
    for (runtime::RingEnd &end : rings.readers)
      end.number += 1000;
}

//===-- Scenarios ---------------------------------------------------------===//

/// Runs many cases, the same on every rank.
int runCases(const std::vector<size_t> &counts) {
  constexpr size_t kMargins = 4096; // more than what Buffer puts around
  const size_t most = *std::max_element(counts.begin(), counts.end());
  KeptMemory memory(2 * (most * sizeof(uint64_t) * size_t(numRanks) + kMargins),
                    1);
  unsigned number = 0;
  for (int round = 0; round < 3; ++round)
    for (Collective collective : collectives())
      for (size_t count : counts) {
        const Case c = variedCase(collective, count, numRanks - 1, number);
        ++number;
        {
          RankBuffers buffers(c, numRanks, self, memory.of(0));
          blinkResult_t result =
              synchronized(call(c, buffers.send(), buffers.recv(), comm));
          if (result != blinkSuccess)
            return sayError(result);
          std::string wrong = buffers.check();
          if (!wrong.empty())
            return say(wrong);
        }
        memory.reuse();
      }
  return say("good");
}

/// Calls allreduce until a call fails, at most `times` times.
int reduceUntilError(size_t count, int times) {
  Case c;
  c.count = count;
  c.op = blinkMax;
  c.inPlace = true;
  RankBuffers buffers(c, numRanks, self);
  for (int i = 0; i < times; ++i) {
    blinkResult_t result =
        synchronized(call(c, buffers.send(), buffers.recv(), comm));
    if (result != blinkSuccess) {
      // Afterwards every call fails at once, and the process continues to work.
      if (call(c, buffers.send(), buffers.recv(), comm) != result)
        return say("a second call did not fail alike");
      const std::string text = blinkGetLastError(nullptr);
      const std::string fresh = freshJobFails(2);
      if (!fresh.empty())
        return say("a fresh communicator does not work: " + fresh);
      return say(std::string(blinkGetErrorString(result)) + ": " + text);
    }
  }
  return say("good");
}

/// Rank `victim` dies between calls, and the others ask for the state of the
/// job until it reports an error.
int askAfterDeath(int victim) {
  Case c;
  c.count = 100;
  RankBuffers buffers(c, numRanks, self);
  const blinkResult_t called =
      synchronized(call(c, buffers.send(), buffers.recv(), comm));
  if (called != blinkSuccess)
    return sayError(called);
  // Tells the victim that all have called; the others may miss its answer.
  std::vector<int> said(size_t(numRanks), 0);
  blinkCommExchange(comm, &self, sizeof(self), said.data(), nullptr, 0);
  if (self == victim)
    raise(SIGKILL);
  blinkResult_t result = blinkSuccess;
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (result == blinkSuccess && std::chrono::steady_clock::now() < deadline)
    if (blinkCommGetAsyncError(comm, &result) != blinkSuccess)
      return say("cannot ask");
  return result == blinkSuccess ? say("no error") : sayError(result);
}

/// Restricts the process to one processor, so that it believes ranks share it.
bool pin() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  return sched_setaffinity(0, sizeof(one), &one) == 0;
}

int runScenario(const std::string &scenario, const char *schedule) {
  if (scenario.find("shrink") == 0) {
    const std::string line = shrinkScenario(scenario, comm, numRanks, self,
                                            std::string(schedule) + ".go");
    say(line);
    return line.find("good") == 0 ? 0 : 1;
  }
  if (scenario.find("split") == 0)
    return say(splitScenario(scenario, comm, numRanks, self));
  const bool last = self == numRanks - 1;
  if (scenario.find("cases") == 0) {
    blinkMemoryInfo_t info = BLINK_MEMORY_INFO_INITIALIZER;
    if (blinkCommMemory(comm, &info) != blinkSuccess || info.job > 1ull << 32)
      return say("a job of " + std::to_string(info.job) + " bytes");
    return runCases({1, 3, 17, 1000, 20011});
  }
  // The sizes lie on both sides of two limits: from the first on, chunks are
  // larger; from the second on, readers fetch chunks from the other process, if
  // they may.
  if (scenario.find("large") == 0 || scenario == "confined")
    return runCases({10007, 40009, kSlow ? 100003u : 300007u});
#if BLINK_TEST_CUDA
  if (scenario.find("registered") == 0)
    return say(registeredScenario(scenario));
#endif
  if (scenario.find("window") == 0)
    return say(windowScenario(scenario));
  if (int victim = 0; std::sscanf(scenario.c_str(), "ask:%d", &victim) == 1)
    return askAfterDeath(victim);
  int times = 0;
  if (std::sscanf(scenario.c_str(), "kill:%d:%u:%u:%d", &target.rank,
                  &target.lane, &target.step, &times) == 4 &&
      target.rank == self) {
    foldsLeft = times;
    runtime::stepHook = killHook;
#if BLINK_TEST_EMULATED
    laneHook = killAtBarrier;
#endif
  }
  if (scenario == "delay" && last) {
    foldsLeft = 10;
    runtime::stepHook = delayHook;
  }
  if (scenario == "corrupt" && self == 0) {
    foldsLeft = 5;
    runtime::stepHook = corruptHook;
  }
  if (scenario == "vanish" && last)
    _exit(say("good")); // output is flushed; the others are not told
  if (scenario == "leave" && last)
    return say("good");
  if (scenario == "abort" && last)
    return blinkCommAbort(std::exchange(comm, nullptr)) == blinkSuccess
               ? say("good")
               : 1;
  if (scenario.find(":large") != std::string::npos)
    return reduceUntilError(300007, 2000);
  return reduceUntilError(scenario == "differ" && last ? 99 : 100, 2000);
}

blinkUniqueId readId() {
  blinkUniqueId id{};
  const char *text = std::getenv("BLINK_TEST_ID");
  for (size_t i = 0; text && i < sizeof(id.internal); ++i) {
    unsigned byte = 0;
    std::sscanf(text + 2 * i, "%2x", &byte);
    id.internal[i] = char(byte);
  }
  return id;
}

} // namespace

int main(int argc, char **argv) {
  doctest::Context asserts;
  asserts.setAsDefaultForAssertsOutOfTestCases();
  if (argc != 6)
    return say("usage: SCHEDULE RANKS RANK TIMEOUT_MS SCENARIO");
  numRanks = std::atoi(argv[2]);
  self = std::atoi(argv[3]);
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.timeoutMs = std::atoi(argv[4]);
#if BLINK_TEST_CUDA
  config.backend = blinkBackendCuda;
#if BLINK_TEST_EMULATED
  if (std::strstr(argv[5], ":apart"))
    emulatedMachine.peerBorder = 1;
#endif
  const bool inSwitch = std::strncmp(argv[5], "switch", 6) == 0;
  // Ranks that share devices claim GPUs 0, 1, 2, ... in any case.
  std::vector<int> gpus;
  for (int rank = 0; rank < numRanks; ++rank)
    gpus.push_back(rank);
  if (!std::strstr(argv[5], ":found"))
    config.gpus = gpus.data();
  int count = 0;
  cudaGetDeviceCount(&count);
  // Several processes may share a device.
  cudaSetDevice(std::strstr(argv[5], ":one") ? 0
                : inSwitch                   ? self
                : count > 1                  ? self % 2
                                             : 0);
#endif
  if (std::strstr(argv[5], "confined") && self == numRanks - 1 &&
      !forbid(__NR_process_vm_readv))
    return say("cannot confine the process");
  if (std::strstr(argv[5], ":pinned") && self == numRanks - 1 && !pin())
    return say("cannot pin the process");
  const auto join = [&](int rank, blinkComm_t &made) -> std::string {
    int onDevice = -1;
#if BLINK_TEST_CUDA
    cudaGetDevice(&onDevice);
#endif
    blinkSchedule_t schedule = nullptr;
    blinkResult_t result = blinkScheduleOpen(argv[1], &schedule);
    if (result == blinkSuccess)
      result = blinkCommInitRank(&made, numRanks, readId(), rank, onDevice,
                                 schedule, &config);
    std::string error;
    if (result != blinkSuccess)
      error = std::string(blinkGetErrorString(result)) + ": " +
              blinkGetLastError(nullptr);
    blinkScheduleClose(schedule);
    return error;
  };
#if BLINK_TEST_EMULATED
  if (inSwitch)
    return say(switchScenario(argv[5], join));
#endif
  if (const std::string error = join(self, comm); !error.empty())
    return say(error);
  const int code = runScenario(argv[5], argv[1]);
  blinkCommDestroy(comm);
  return code;
}
