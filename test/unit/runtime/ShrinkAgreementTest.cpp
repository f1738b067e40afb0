//===- ShrinkAgreementTest.cpp - agreement of ranks that shrink -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Tests the words in the job's memory in states that real ranks pass too
// quickly.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/ShrinkAgreement.h"

#include "TestJob.h"
#include "runtime/core/Memory.h"

#include "doctest/doctest.h"

#include <string>
#include <thread>
#include <vector>

using namespace blink::runtime;

namespace {

/// Three ranks, none of which dies.
struct ThreeRanks : TestJob {
  ThreeRanks() : TestJob(3, kLong) {}
};

} // namespace

TEST_CASE("a rank that asks for something else is quoted") {
  ThreeRanks ranks;
  ShrinkAgreement agreement(ranks, {1}, {}, "", kLong);
  agreement.propose();
  ShrinkAgreement other(ranks, {0}, {2}, "gpu0:gpu3", kLong);
  other.propose();
  const Status status = agreement.agree();
  CHECK(status.code == blinkInvalidUsage);
  CHECK(status.text ==
        "the ranks shrink the communicator differently: rank 1 excludes no "
        "rank, rank 0 excludes rank 2 without link gpu0:gpu3");
}

TEST_CASE("a rank that is about to ask for something else is not quoted") {
  ThreeRanks ranks;
  ShrinkRecord &record = ranks.shrinkRecord(0);
  for (uint64_t described : {0, 2}) {
    CAPTURE(described);
    ShrinkAgreement agreement(ranks, {1}, {}, "", kShort);
    agreement.propose();
    ShrinkAgreement other(ranks, {0}, {2}, "", kLong);
    other.propose();
    // The rank's next request, except for the word that publishes it.
    const uint64_t before = record.described;
    storeRelease(&record.described, described == 0 ? 0 : before + 1);
    storeRelease(&record.numExcluded, 0);
    const Status status = agreement.agree();
    CHECK(status.code == blinkRemoteError);
    CHECK(status.text == "rank 1 waited 50 ms for ranks 0,2 to shrink the "
                         "communicator, too");
  }
}

TEST_CASE(
    "who had not agreed with an attempt that is over agrees with the next") {
  ThreeRanks ranks;
  ShrinkAgreement slow(ranks, {1}, {}, "", kLong);
  slow.propose();
  {
    ShrinkAgreement first(ranks, {0}, {}, "", kLong);
    ShrinkAgreement gives(ranks, {2}, {}, "", kLong);
    first.propose();
    gives.propose();
    CHECK(first.agree().ok());
  }
  ShrinkAgreement first(ranks, {0}, {}, "", kLong);
  ShrinkAgreement third(ranks, {2}, {}, "", kLong);
  first.propose();
  third.propose();
  Status status;
  std::thread other([&] { status = first.agree(); });
  CHECK(slow.agree().ok());
  CHECK(third.agree().ok());
  other.join();
  CHECK(status.text == "");
}

TEST_CASE("an attempt that is over for all is not agreed with") {
  ThreeRanks ranks;
  ShrinkAgreement slow(ranks, {1}, {}, "", kLong);
  {
    ShrinkAgreement first(ranks, {0}, {}, "", kLong);
    ShrinkAgreement gives(ranks, {2}, {}, "", kLong);
    slow.propose();
    first.propose();
    gives.propose();
    CHECK(first.agree().ok());
    CHECK(slow.agree().ok());
  }
  ShrinkAgreement first(ranks, {0}, {}, "", kShort);
  ShrinkAgreement third(ranks, {2}, {}, "", kLong);
  first.propose();
  third.propose();
  CHECK(first.agree().text == "rank 0 waited 50 ms for rank 1 to shrink the "
                              "communicator, too");
}
