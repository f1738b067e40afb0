//===- MeetingTest.cpp - what ranks that shrink say of each other ---------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The words in the job's memory in states that real ranks pass in no time.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/Meeting.h"
#include "runtime/core/Memory.h"

#include "doctest/doctest.h"

#include <string>
#include <vector>

using namespace blink::runtime;

namespace {

constexpr std::chrono::milliseconds kShort(50), kLong(20000);

/// Three ranks, of which none dies.
class ThreeRanks : public Backend {
public:
  ThreeRanks() : Backend(*findBackend(blinkBackendHost)), records_(3) {
    plan_.numRanks = 3;
    shrinkRecords_ = records_.data();
  }
  void run(PendingCall *const *, size_t) override {}
  void abort(int) override {}
  void stop(const Status &) override {}
  bool quiet(int) const override { return true; }
  Status lost(int) const override { return {}; }
  uint64_t processOf(int rank) const override { return uint64_t(rank) + 1; }
  void leave(int) override {}
  bool busy(int) const override { return false; }
  Status registerBuffer(int, void *, size_t, uintptr_t &) override {
    return {};
  }
  Status deregisterBuffer(int, uintptr_t) override { return {}; }
  Status failure() const override { return {}; }

private:
  std::vector<ShrinkRecord> records_;
};

} // namespace

TEST_CASE("a rank that asks for something else is quoted") {
  ThreeRanks ranks;
  Meeting meeting(ranks, {1}, {}, "", kLong);
  meeting.say();
  Meeting other(ranks, {0}, {2}, "gpu0:gpu3", kLong);
  other.say();
  const Status status = meeting.agree();
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
    Meeting meeting(ranks, {1}, {}, "", kShort);
    meeting.say();
    Meeting other(ranks, {0}, {2}, "", kLong);
    other.say();
    // What it asks for next, but for the word that says so.
    const uint64_t before = record.described;
    storeRelease(&record.described, described == 0 ? 0 : before + 1);
    storeRelease(&record.numExcluded, 0);
    const Status status = meeting.agree();
    CHECK(status.code == blinkRemoteError);
    CHECK(status.text == "rank 1 waited 50 ms for ranks 0,2 to shrink the "
                         "communicator, too");
  }
}
