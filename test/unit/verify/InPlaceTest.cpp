//===- InPlaceTest.cpp - inputs that are overwritten too early ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/unit/verify/VerifySupport.h"

#include "doctest/doctest.h"

using namespace blink;
using namespace blink::test;

namespace {

/// Returns a schedule whose root sends its input and copies it to its output in
/// two lanes. In broadcast and allgather both folds read what the second one
/// overwrites with the same bytes; the rule does not look at values.
TestSchedule twoReads(Collective collective) {
  TestSchedule schedule =
      makeSchedule(collective, 0, collective == Collective::allgather ? 2 : 3,
                   BuildOptions());
  for (TestRank &rank : schedule.variant().ranks) {
    TestLanes lanes;
    for (const std::vector<TestFold> &lane : lanesOf(rank))
      for (const TestFold &fold : lane) {
        if (fold.sources[0].kind != OperandKind::input) {
          lanes.push_back({fold});
          continue;
        }
        for (const TestOperand &to : fold.destinations)
          lanes.push_back({{fold.tree, fold.sources, {to}, false}});
      }
    rank = rankOf(lanes);
  }
  return schedule;
}

} // namespace

TEST_CASE("a send that may come after the overwriting sum") {
  const VerifyReport report = judge(exchange(false));
  CHECK(failures(report) == "in-place");
  CHECK(contains(detailOf(report, "in-place"),
                 "tree 0: rank 0 lane 1 step 0 reads an input that, in place, "
                 "rank 0 lane 0 step 0 may have overwritten already"));
}

TEST_CASE("an order through channels of the tree is enough") {
  // Rank 0 writes what has travelled to rank 1 and back, in a different lane
  // than the send.
  TestSchedule schedule = emptySchedule(Collective::reduce, 2);
  const uint32_t there = addChannel(schedule, 0, 1);
  const uint32_t back = addChannel(schedule, 1, 0);
  schedule.variant().ranks = {
      rankOf({{{0, {channel(back)}, {output()}, true}},
              {{0, {input()}, {channel(there)}, false}}}),
      rankOf({{{0, {input(), channel(there)}, {channel(back)}, false}}})};
  settleRates(schedule);
  CHECK(failures(judge(schedule)) == "");
}

TEST_CASE("an order through another tree is not enough") {
  // Rank 0 sends its input in lane 1 and overwrites it in lane 0. The send
  // comes first only because of tree 1, which has no chunk if the buffer is
  // small:
  //
  //   send, up (tree 1) -> root of tree 1 on rank 1 -> down (tree 1), sum
  TestSchedule schedule = exchange(true);
  TestVariant &variant = schedule.variant();
  const TestLanes rank0 = lanesOf(variant.ranks[0]);
  TestLanes rank1 = lanesOf(variant.ranks[1]);
  const TestFold send = rank0[0][0], sum = rank0[0][1];
  variant.trees.resize(2, variant.trees[0]);
  variant.trees[0].denominator = variant.trees[1].denominator = 2;
  const uint32_t up = addChannel(schedule, 0, 1);
  const uint32_t down = addChannel(schedule, 1, 0);
  variant.channels[up].tree = variant.channels[down].tree = 1;
  variant.ranks[0] = rankOf({{{1, {channel(down)}, {output()}, false}, sum},
                             {send, {1, {input()}, {channel(up)}, false}}});
  rank1.push_back(
      {{1, {input(), channel(up)}, {output(), channel(down)}, true}});
  variant.ranks[1] = rankOf(rank1);
  settleRates(schedule);
  const VerifyReport report = judge(schedule);
  CHECK(failures(report) == "in-place");
  CHECK(contains(detailOf(report, "in-place"),
                 "tree 0: rank 0 lane 1 step 0 reads"));
}

TEST_CASE("a premultiplied sum changes the input that it copies in place") {
  // Rank 0 copies its input to its output, sends it, and adds what comes to the
  // output. A premultiplied sum multiplies what is copied and what is sent.
  for (const bool sendsFirst : {true, false}) {
    TestSchedule schedule = emptySchedule(Collective::allreduce, 2);
    const uint32_t there = addChannel(schedule, 0, 1);
    const uint32_t back = addChannel(schedule, 1, 0);
    const TestFold copy{0, {input()}, {output()}, false};
    const TestFold send{0, {input()}, {channel(there)}, false};
    const TestFold add{0, {output(), channel(back)}, {output()}, true};
    schedule.variant().ranks = {
        rankOf({sendsFirst ? std::vector{send, copy, add}
                           : std::vector{copy, send, add}}),
        rankOf({{{0, {input()}, {channel(back)}, false},
                 {0, {channel(there), input()}, {output()}, true}}})};
    settleRates(schedule);
    const VerifyReport report = judge(schedule);
    CHECK(failures(report) == (sendsFirst ? "" : "in-place"));
    if (!sendsFirst)
      CHECK(contains(detailOf(report, "in-place"),
                     "tree 0: rank 0 lane 0 step 1 reads an input that, in "
                     "place, rank 0 lane 0 step 0 may have overwritten "
                     "already"));
  }
}

TEST_CASE("a root's input may be read while it is copied to where it is") {
  for (Collective collective : {Collective::broadcast, Collective::allgather})
    CHECK(failures(judge(twoReads(collective))) == "");
}
