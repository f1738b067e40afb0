//===- ForkTest.cpp - communicators of a process that forks ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Frameworks fork: their data loaders are forked workers. A child cannot use
// its parent's job, and the parent notices neither what the child does with its
// copies nor how it ends.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Job.h"

#include "doctest/doctest.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace blink;
using namespace blink::test;

namespace {

constexpr int kRanks = 2;

/// Runs `body` in a child process and returns the child's exit code, which is
/// what `body` returns.
template <typename Body> int inChild(const Body &body) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0)
    _exit(body());
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

Case largeCase() {
  Case c;
  c.count = 300000; // other threads help if there are processors
  return c;
}

TestSchedule schedule() {
  return makeSchedule(Collective::allreduce, 0, kRanks, {});
}

/// Tries calls with the parent's communicator in a child. Returns 0 if all are
/// refused, else the number of the first that is not.
int misuse(blinkComm_t comm) {
  const auto refuses = [](blinkResult_t result) {
    return result == blinkInvalidUsage &&
           std::string(blinkGetLastError(nullptr)) ==
               "the communicator was made before fork(), by another process: "
               "make one in this process";
  };
  float one = 1;
  int number;
  blinkResult_t result;
  blinkComm_t other;
  void *handle;
  blinkStats_t stats = BLINK_STATS_INITIALIZER;
  blinkMemoryInfo_t info = BLINK_MEMORY_INFO_INITIALIZER;
  if (!refuses(
          blinkAllReduce(&one, &one, 1, blinkFloat32, blinkSum, comm, nullptr)))
    return 1;
  if (!refuses(blinkCommUserRank(comm, &number)) ||
      !refuses(blinkCommCount(comm, &number)))
    return 2;
  if (!refuses(blinkCommGetAsyncError(comm, &result)))
    return 3;
  if (!refuses(blinkCommSplit(comm, 0, 0, &other, nullptr)) ||
      !refuses(blinkCommShrink(comm, nullptr, 0, &other, nullptr)))
    return 4;
  if (!refuses(blinkCommRegister(comm, &one, 4, &handle)) ||
      !refuses(blinkCommMemory(comm, &info)) ||
      !refuses(blinkCommStats(comm, &stats, nullptr)))
    return 5;
  blinkRedOp_t op;
  if (!refuses(blinkRedOpCreatePreMulSum(&op, &one, blinkFloat32,
                                         blinkScalarHostImmediate, comm)) ||
      !refuses(blinkRedOpDestroy(blinkSum, comm)))
    return 6;
  return 0;
}

} // namespace

TEST_CASE("a child may free its parent's communicators, and not use them") {
  const Job job(schedule(), kRanks);
  CHECK(runCase(job, largeCase()) == "");
  CHECK(inChild([&] {
          if (const int wrong = misuse(job[0]))
            return wrong;
          return blinkCommDestroy(job[0]) == blinkSuccess &&
                         blinkCommAbort(job[1]) == blinkSuccess
                     ? 0
                     : 100;
        }) == 0);
  CHECK(runCase(job, largeCase()) == "");
  // The child ends with everything that a process does when it exits normally.
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::fclose(stdout);
    std::exit(blinkCommDestroy(job[0]) == blinkSuccess ? 0 : 1);
  }
  int status = 1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(runCase(job, largeCase()) == "");
}

#if !defined(__SANITIZE_THREAD__) // which kills a child that starts threads
TEST_CASE("a child makes communicators of its own while its parent's run") {
  const Job job(schedule(), kRanks);
  // Create the test's own patterns now, not while the process forks.
  CHECK(runCase(job, largeCase()) == "");
  std::atomic<bool> stop{false};
  std::string wrong;
  std::thread calls([&] { // takes and releases all locks all the time
    while (!stop && wrong.empty()) {
      wrong = runCase(job, largeCase());
      void *memory = nullptr;
      if (blinkMemAlloc(&memory, 4096) != blinkSuccess ||
          blinkMemFree(memory) != blinkSuccess)
        wrong = "no memory";
    }
  });
  for (int round = 0; round < 20; ++round)
    CHECK(inChild([&] {
            alarm(60); // avoids a hang if a lock were taken
            const Job own(schedule(), kRanks);
            void *memory = nullptr;
            blinkRedOp_t op;
            const float half = 0.5f;
            return runCase(own, largeCase()) == "" &&
                           blinkMemAlloc(&memory, 4096) == blinkSuccess &&
                           blinkMemFree(memory) == blinkSuccess &&
                           blinkRedOpCreatePreMulSum(&op, &half, blinkFloat32,
                                                     blinkScalarHostImmediate,
                                                     own[0]) == blinkSuccess
                       ? 0
                       : 1;
          }) == 0);
  stop = true;
  calls.join();
  CHECK(wrong == "");
}
#endif
