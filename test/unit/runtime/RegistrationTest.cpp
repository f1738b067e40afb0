//===- RegistrationTest.cpp - all ranks register a buffer -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/Registration.h"

#include "TestJob.h"

#include "doctest/doctest.h"

#include <string>
#include <thread>

using namespace blink::runtime;

namespace {

/// What a rank comes with, and what becomes of it.
struct Rank {
  uint32_t used = 0;
  Status offered, opens;
  uint32_t opened = ~0u; ///< the number
  Registration all;
  Status status;
};

void registerAll(TestJob &job, std::vector<Rank> &ranks) {
  std::vector<std::thread> threads;
  for (size_t r = 0; r < ranks.size(); ++r)
    threads.emplace_back([&job, &rank = ranks[r], self = int(r)] {
      rank.status = registerTogether(
          job, self, rank.used, rank.offered,
          [&](uint32_t number) {
            rank.opened = number;
            return rank.opens;
          },
          rank.all);
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace

TEST_CASE("a buffer gets the lowest number that is free on all ranks") {
  TestJob job(3, kLong);
  std::vector<Rank> ranks(3);
  ranks[0].used = 0b0011;
  ranks[1].used = 0b1001;
  registerAll(job, ranks);
  for (const Rank &rank : ranks) {
    CHECK(rank.status.ok());
    CHECK(rank.all.outcome.ok());
    CHECK(rank.all.number == 2);
    CHECK(rank.opened == 2);
  }
}

TEST_CASE("what one rank cannot do, none has") {
  TestJob job(4, kLong);
  std::vector<Rank> ranks(4);
  ranks[3].offered = {blinkInvalidArgument, "rank 3 has no such memory"};
  ranks[1].opens = {blinkSystemError, "rank 1 cannot map it"};
  registerAll(job, ranks);
  for (const Rank &rank : ranks) {
    CHECK(rank.status.ok());
    CHECK(rank.all.outcome.code == blinkSystemError);
    CHECK(rank.all.outcome.text == "rank 1 cannot map it");
  }
  CHECK(ranks[0].opened == 0);
  CHECK(ranks[3].opened == ~0u); // nothing to open for
  CHECK(!job.failed());
  // And the next time they can.
  std::vector<Rank> next(4);
  registerAll(job, next);
  for (const Rank &rank : next)
    CHECK(rank.all.outcome.ok());
}

TEST_CASE("one too many is refused on all ranks") {
  TestJob job(2, kLong);
  std::vector<Rank> ranks(2);
  ranks[1].used = (1u << kMaxTogether) - 1;
  registerAll(job, ranks);
  for (const Rank &rank : ranks) {
    CHECK(rank.status.ok());
    CHECK(rank.all.number == kMaxTogether);
    CHECK(rank.all.outcome.code == blinkInvalidUsage);
    CHECK(rank.all.outcome.text == "16 buffers are registered already");
    CHECK(rank.opened == ~0u);
  }
}

TEST_CASE("a rank that does not register fails the job") {
  TestJob job(2, kShort);
  std::vector<Rank> ranks(1); // of two
  registerAll(job, ranks);
  CHECK(ranks[0].status.code == blinkRemoteError);
  CHECK(ranks[0].status.text ==
        "rank 0 waited 50 ms for rank 1 to register or deregister a buffer, "
        "too");
  CHECK(ranks[0].opened == ~0u);
}
