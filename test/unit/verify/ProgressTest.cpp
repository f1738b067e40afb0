//===- ProgressTest.cpp - deadlocks are found -----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/unit/verify/VerifySupport.h"

#include "doctest/doctest.h"

#include <algorithm>

using namespace blink;
using namespace blink::test;

TEST_CASE("two lanes that take the trees in opposite order") {
  std::vector<TestTree> trees(2);
  trees[0].denominator = trees[1].denominator = 2;
  trees[0].root = 1;
  trees[0].parents = {1, -1};
  trees[1].root = 0;
  trees[1].parents = {-1, 0};
  BuildOptions options;
  options.lanes = 1;
  TestSchedule schedule =
      makeSchedule(Collective::allreduce, 0, 2, trees, options);
  REQUIRE(failures(judge(schedule)) == "");

  // Rank 1 is first the root of tree 0 and then sends up tree 1. If rank 0 does
  // the same with the trees exchanged, each rank waits for the other's second
  // step.
  TestLanes lanes = lanesOf(schedule.variant().ranks[0]);
  REQUIRE(lanes[0].size() == 3); // up and down tree 0, root of tree 1
  std::rotate(lanes[0].begin(), lanes[0].begin() + 2, lanes[0].end());
  schedule.variant().ranks[0] = rankOf(lanes);
  CHECK(failures(judge(schedule)) == "progress");

  // In separate lanes the trees do not wait for each other.
  schedule.variant().ranks[0] =
      rankOf({{lanes[0][0]}, {lanes[0][1], lanes[0][2]}});
  CHECK(failures(judge(schedule)) == "");
}

TEST_CASE("lanes that take the trees in opposite order, but in one direction") {
  // A broadcast's data flows only down: the order is slow but cannot deadlock.
  BuildOptions options;
  options.shape = Shape::chain;
  options.treesPerBlock = 2;
  options.lanes = 1;
  TestSchedule schedule = makeSchedule(Collective::broadcast, 0, 3, options);
  TestLanes lanes = lanesOf(schedule.variant().ranks[1]);
  std::reverse(lanes[0].begin(), lanes[0].end());
  schedule.variant().ranks[1] = rankOf(lanes);
  CHECK(failures(judge(schedule)) == "");
}

/// Returns two ranks that send each other a tree and take the other's `delay`
/// rounds later.
static TestSchedule laggingExchange(uint16_t slots, uint16_t delay) {
  TestSchedule schedule = exchange(true);
  for (TestChannel &channel : schedule.variant().channels)
    channel.slots = slots;
  for (TestRank &rank : schedule.variant().ranks)
    rank.steps.back().delay = delay;
  return schedule;
}

TEST_CASE("delays that slots allow, and that they do not") {
  CHECK(failures(judge(laggingExchange(2, 0))) == "");
  CHECK(failures(judge(laggingExchange(2, 1))) == "");
  CHECK(failures(judge(laggingExchange(4, 3))) == "");

  // Each rank sends its next chunk before it takes the one that came. With one
  // slot that send waits for the other rank to take a chunk, in the same round.
  VerifyReport report = judge(laggingExchange(1, 1));
  CHECK(failures(report) == "progress");
  CHECK(contains(detailOf(report, "progress"), "waits for a slot of channel"));

  report = judge(laggingExchange(2, 3));
  CHECK(failures(report) == "progress");
  CHECK(contains(detailOf(report, "progress"),
                 "takes a chunk 3 rounds after rank 0 lane 0 step 0 has "
                 "written it, and 2 slots hold no more"));
}

TEST_CASE("a chunk is not taken in rounds before it is there") {
  BuildOptions options;
  options.shape = Shape::chain;
  TestSchedule schedule = makeSchedule(Collective::broadcast, 0, 2, options);
  for (TestStep &step : schedule.variant().ranks[0].steps)
    step.delay = 1;
  VerifyReport report = judge(schedule);
  CHECK(failures(report) == "progress");
  CHECK(contains(detailOf(report, "progress"),
                 "takes a chunk 1 round before rank 0 lane 0 step 0 has "
                 "written it"));
  for (TestStep &step : schedule.variant().ranks[1].steps)
    step.delay = 1;
  CHECK(failures(judge(schedule)) == "");
}

TEST_CASE("a deadlock is told wait by wait") {
  TestSchedule schedule = exchange(true);
  for (TestRank &rank : schedule.variant().ranks) {
    TestLanes lanes = lanesOf(rank);
    std::swap(lanes[0][0], lanes[0][1]);
    rank = rankOf(lanes);
  }
  const VerifyReport report = judge(schedule);
  CHECK(failures(report) == "in-place progress");
  CHECK(detailOf(report, "progress") ==
        "deadlock: rank 0 lane 0 step 0 waits for channel 1 from rank 1 lane 0 "
        "step 1, which comes after step 0 of its lane, which waits for channel "
        "0 from rank 0 lane 0 step 1, which comes after step 0 of its lane: a "
        "circle");
}

TEST_CASE("a long circle is cut short in the telling") {
  // Rank r adds what comes from rank r - 1, all the way round.
  constexpr int n = 40;
  TestSchedule schedule = emptySchedule(Collective::broadcast, n);
  for (int rank = 0; rank < n; ++rank)
    addChannel(schedule, rank, (rank + 1) % n);
  for (int rank = 0; rank < n; ++rank)
    schedule.variant().ranks[rank] =
        rankOf({{{0,
                  {channel(uint32_t((rank + n - 1) % n))},
                  {output(), channel(uint32_t(rank))},
                  false}}});
  settleRates(schedule);
  const VerifyReport report = judge(schedule);
  CHECK(failures(report) == "result progress");
  CHECK(contains(detailOf(report, "progress"),
                 "and so on, a circle of 40 folds"));
  CHECK(detailOf(report, "progress").size() < 1000);
}
