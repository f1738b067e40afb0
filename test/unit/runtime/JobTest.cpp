//===- JobTest.cpp - waiting for ranks, and failing -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The functions that every back end relies on: the failure record and the
// barrier.
//
//===----------------------------------------------------------------------===//

#include "TestJob.h"
#include "runtime/core/Memory.h"

#include "doctest/doctest.h"

#include <atomic>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace blink::runtime;

namespace {

std::chrono::steady_clock::time_point in(std::chrono::milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

} // namespace

TEST_CASE("the first reason for a failure is the reason") {
  TestJob job(2, kLong);
  CHECK(!job.failed());
  CHECK(job.failure().ok());
  CHECK(job.fail({blinkInvalidUsage, "first"}));
  CHECK(job.failed());
  CHECK(!job.fail({blinkRemoteError, "second"}));
  CHECK(job.failure().code == blinkInvalidUsage);
  CHECK(job.failure().text == "first");
}

TEST_CASE("one of many ranks that fail at a time says why") {
  TestJob job(2, kLong);
  std::atomic<int> firsts{0};
  std::atomic<bool> reasonMissing{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      firsts += job.fail({blinkRemoteError, std::string(900, char('a' + t))});
      const std::string text = job.failure().text;
      if (text != std::string(900, text.empty() ? '?' : text[0]))
        reasonMissing = true;
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(firsts == 1);
  CHECK(!reasonMissing);
}

TEST_CASE("a long reason is cut, and one that nobody ends is done without") {
  TestJob job(1, kLong);
  CHECK(job.fail({blinkRemoteError, std::string(5000, 'x')}));
  CHECK(job.failure().text == std::string(sizeof(SharedStatus::text) - 1, 'x'));
  TestJob killed(1, kLong);
  // The record of a process that was killed while it wrote the text.
  auto *record = reinterpret_cast<FailureRecord *>(killed.lines[0].bytes);
  storeRelease(&record->state, 1);
  CHECK(!killed.fail({blinkInvalidUsage, "mine"}));
  CHECK(killed.failed());
  CHECK(killed.failure().code == blinkRemoteError);
  CHECK(killed.failure().text == "another rank failed");
}

/// A barrier of all ranks.
static Status stepTogether(const Job &job, int self) {
  uint64_t &steps = job.peer(self).ready;
  const uint64_t step = steps + 1;
  storeRelease(&steps, step);
  return job.waitForAll(self, &PeerRecord::ready, step, "do its part",
                        std::chrono::steady_clock::now() + job.timeout());
}

TEST_CASE("nobody passes the barrier before all have come") {
  constexpr int kRanks = 3, kRounds = 200;
  TestJob job(kRanks, kLong);
  uint64_t words[kRanks] = {}; // one word per rank, read after the barrier
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; ++rank)
    threads.emplace_back([&, rank] {
      for (uint64_t round = 1; round <= kRounds; ++round) {
        words[rank] = round;
        wrong += !stepTogether(job, rank).ok();
        for (uint64_t word : words)
          wrong += word != round;
        wrong += !stepTogether(job, rank).ok(); // now all have read them
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("a barrier that a rank does not come to fails the job") {
  TestJob job(2, kShort);
  const std::string text = "rank 1 waited 50 ms for rank 0 to do its part";
  CHECK(stepTogether(job, 1).text == text);
  CHECK(job.failure().text == text);
  CHECK(stepTogether(job, 0).ok()); // rank 0 comes: rank 1 has made its step
  CHECK(stepTogether(job, 0).text == text);
}

TEST_CASE("who waits hears why a rank will not come") {
  TestJob job(3, kLong);
  SUBCASE("its communicator has been destroyed") {
    storeRelease(&job.peer(1).ready, 1); // it has done its part
    job.detach(1);
    job.detach(2);
    CHECK(job.detached(2));
    CHECK(stepTogether(job, 0).text ==
          "the communicator of rank 2 has been destroyed");
  }
  SUBCASE("its process has died") {
    const pid_t child = fork();
    if (child == 0)
      _exit(0);
    REQUIRE(child > 0);
    storeRelease(&job.peer(1).process, uint64_t(child));
    job.watch(1);
    const Status status = stepTogether(job, 0);
    CHECK(status.code == blinkRemoteError);
    CHECK(status.text == "the process of rank 1, number " +
                             std::to_string(child) + ", has died");
    waitpid(child, nullptr, 0);
  }
  SUBCASE("the job has failed") {
    job.fail({blinkInvalidUsage, "an earlier call"});
    CHECK(stepTogether(job, 0).text == "an earlier call");
  }
  SUBCASE("somebody else knows") {
    const auto ended = [] { return Status{blinkRemoteError, "given up"}; };
    CHECK(job.waitForAll(0, &PeerRecord::process, 1, "join", in(kLong), ended)
              .text == "given up");
    CHECK(!job.failed()); // the caller decides about that
  }
}

TEST_CASE(
    "a rank that has come is not missed when it is gone or the job fails") {
  TestJob job(2, kLong);
  storeRelease(&job.peer(0).ready, 1);
  storeRelease(&job.peer(1).ready, 1);
  job.detach(1);
  job.fail({blinkRemoteError, "a call of rank 1"});
  CHECK(job.waitForAll(0, &PeerRecord::ready, 1, "join", in(kShort)).ok());
}
