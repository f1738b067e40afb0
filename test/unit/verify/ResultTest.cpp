//===- ResultTest.cpp - wrong results are found ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/unit/verify/VerifySupport.h"

#include "doctest/doctest.h"

#include <algorithm>

using namespace blink;
using namespace blink::test;

namespace {

/// Returns a chain 0 - 1 - 2 with root 0 and one lane per rank. In an
/// allreduce, rank 0 has one fold, and ranks 1 and 2 have two (up, down).
TestSchedule chain(Collective collective) {
  TestTree tree;
  tree.parents = {-1, 0, 1};
  BuildOptions options;
  options.lanes = 1;
  return makeSchedule(collective, 0, 3, {tree}, options);
}

/// Applies `change` to the lanes of one rank.
template <typename Function>
void changeRank(TestSchedule &schedule, int rank, Function change) {
  TestLanes lanes = lanesOf(schedule.variant().ranks[rank]);
  change(lanes);
  schedule.variant().ranks[rank] = rankOf(lanes);
}

/// Expects the check "result", and no other, to fail with these words.
void expectWrongResult(const TestSchedule &schedule, const std::string &words,
                       const std::string &failed = "result") {
  const VerifyReport report = judge(schedule);
  CHECK(failures(report) == failed);
  CAPTURE(detailOf(report, "result"));
  CHECK(contains(detailOf(report, "result"), words));
}

} // namespace

TEST_CASE("a contribution that is left out") {
  TestSchedule schedule = chain(Collective::allreduce);
  changeRank(schedule, 1, [](TestLanes &lanes) {
    auto &sources = lanes[0][0].sources;
    REQUIRE(sources[0].kind == OperandKind::input);
    REQUIRE(sources.size() == 2);
    sources.erase(sources.begin());
  });
  expectWrongResult(schedule, "rank 0 ends without the contribution of rank 1; "
                              "expected all 3");
}

TEST_CASE("a contribution that counts twice") {
  // Rank 0's input is added a second time, through a channel to rank 1 and
  // back.
  TestSchedule schedule = emptySchedule(Collective::reduce, 2);
  const uint32_t there = addChannel(schedule, 0, 1);
  const uint32_t back = addChannel(schedule, 1, 0);
  schedule.variant().ranks = {
      rankOf({{{0, {input()}, {channel(there)}, false},
               {0, {input(), channel(back)}, {output()}, true}}}),
      rankOf({{{0, {input(), channel(there)}, {channel(back)}, false}}})};
  settleRates(schedule);
  expectWrongResult(schedule, "the contribution of rank 0 more than once");
}

TEST_CASE("another order of additions on one rank") {
  TestSchedule schedule = exchange(true);
  changeRank(schedule, 1, [](TestLanes &lanes) {
    std::swap(lanes[0][1].sources[0], lanes[0][1].sources[1]);
  });
  expectWrongResult(schedule, "rank 1 ends with (1 + 0), rank 0 with (0 + 1)");
}

TEST_CASE("nesting is an order too") {
  // Rank 0 adds (0 + 1 + 2) in one fold, rank 1 adds ((0 + 1) + 2) in two.
  TestSchedule schedule = emptySchedule(Collective::allreduce, 3);
  const uint32_t c10 = addChannel(schedule, 1, 0);
  const uint32_t c20 = addChannel(schedule, 2, 0);
  const uint32_t c01 = addChannel(schedule, 0, 1);
  const uint32_t c21 = addChannel(schedule, 2, 1);
  const uint32_t c02 = addChannel(schedule, 0, 2);
  TestLanes rank1 = {{{0, {input()}, {channel(c10)}, false},
                      {0, {channel(c01), input()}, {output()}, false},
                      {0, {output(), channel(c21)}, {}, true}}};
  // An output may be written only once, so the second sum takes a detour over
  // rank 2.
  const uint32_t c12 = addChannel(schedule, 1, 2);
  const uint32_t d21 = addChannel(schedule, 2, 1);
  rank1[0][1].destinations = {channel(c12)};
  rank1[0][2] = {0, {channel(d21), channel(c21)}, {output()}, true};
  schedule.variant().ranks = {
      rankOf({{{0, {input()}, {channel(c01)}, false},
               {0,
                {input(), channel(c10), channel(c20)},
                {output(), channel(c02)},
                true}}}),
      rankOf(rank1),
      rankOf({{{0, {input()}, {channel(c20), channel(c21)}, false},
               {0, {channel(c02)}, {output()}, false}},
              {{0, {channel(c12)}, {channel(d21)}, false}}})};
  settleRates(schedule);
  expectWrongResult(schedule,
                    "rank 1 ends with ((0 + 1) + 2), rank 0 with (0 + 1 + 2)");
}

TEST_CASE("a broadcast or a reduce of another root") {
  for (Collective collective : {Collective::broadcast, Collective::reduce}) {
    TestSchedule schedule = chain(collective);
    schedule.programs[0].root = 1;
    expectWrongResult(schedule, collective == Collective::broadcast
                                    ? "ends with the input of rank 0"
                                    : "rank 0 lane 0 step 0 writes the output "
                                      "of a rank that gets no result");
  }
}

TEST_CASE("an output that is never written") {
  TestSchedule schedule = chain(Collective::broadcast);
  changeRank(schedule, 1, [](TestLanes &lanes) {
    auto &to = lanes[0][0].destinations;
    to.erase(std::find_if(to.begin(), to.end(), [](const TestOperand &o) {
      return o.kind == OperandKind::output;
    }));
  });
  expectWrongResult(schedule, "rank 1 never writes output block 0");
}

TEST_CASE("an output that is written twice") {
  TestSchedule schedule = chain(Collective::broadcast);
  changeRank(schedule, 0, [](TestLanes &lanes) {
    lanes[0].push_back({0, {input()}, {output()}, false});
  });
  expectWrongResult(schedule,
                    "rank 0 lane 0 step 1 writes the output again, after rank "
                    "0 lane 0 step 0");
}

/// Returns three ranks of which rank 0 adds the others' inputs one by one to
/// its output.
static TestSchedule sumInOutput() {
  TestSchedule schedule = emptySchedule(Collective::allreduce, 3);
  TestLanes first(1);
  std::vector<uint32_t> downs;
  for (int rank : {1, 2}) {
    const uint32_t up = addChannel(schedule, rank, 0);
    downs.push_back(addChannel(schedule, 0, rank));
    first[0].push_back({0, {output(), channel(up)}, {output()}, false});
    schedule.variant().ranks[rank] =
        rankOf({{{0, {input()}, {channel(up)}, false},
                 {0, {channel(downs.back())}, {output()}, false}}});
  }
  first[0][0].sources[0] = input();
  first[0][1].destinations = {output(), channel(downs[0]), channel(downs[1])};
  first[0][1].completes = true;
  schedule.variant().ranks[0] = rankOf(first);
  settleRates(schedule);
  return schedule;
}

TEST_CASE("an output that folds add to") {
  TestSchedule schedule = sumInOutput();
  CHECK(failures(judge(schedule)) == "");
  SUBCASE("in two lanes") {
    changeRank(schedule, 0, [](TestLanes &lanes) {
      lanes = {{lanes[0][0]}, {lanes[0][1]}};
    });
    expectWrongResult(schedule, "rank 0 lane 1 step 0 reads the output, which "
                                "rank 0 lane 0 step 0 may not have written");
  }
  SUBCASE("while another lane passes on what was there") {
    const uint32_t more = addChannel(schedule, 0, 1);
    changeRank(schedule, 0, [&](TestLanes &lanes) {
      lanes.push_back({{0, {output()}, {channel(more)}, false}});
    });
    changeRank(schedule, 1, [&](TestLanes &lanes) {
      lanes[0].push_back({0, {output(), channel(more)}, {output()}, false});
    });
    settleRates(schedule);
    expectWrongResult(schedule, "rank 0 lane 1 step 0 reads the output, which "
                                "rank 0 lane 0 step 1 may not have written");
  }
}

TEST_CASE("blocks of other trees are left alone") {
  BuildOptions options;
  options.lanes = 1;
  SUBCASE("allgather writes a foreign block") {
    TestSchedule schedule = makeSchedule(Collective::allgather, 0, 3, options);
    changeRank(schedule, 0, [](TestLanes &lanes) {
      for (TestOperand &operand : lanes[0][0].destinations)
        if (operand.kind == OperandKind::output)
          operand.index = 2;
    });
    expectWrongResult(schedule, "tree 0: rank 0 lane 0 step 0 writes output "
                                "block 2; a tree of block 0 writes output "
                                "block 0 only");
  }
  SUBCASE("reducescatter reads a foreign block") {
    TestSchedule schedule =
        makeSchedule(Collective::reducescatter, 0, 3, options);
    changeRank(schedule, 1, [](TestLanes &lanes) {
      for (TestOperand &operand : lanes[0][0].sources)
        if (operand.kind == OperandKind::input)
          operand.index = 1;
    });
    expectWrongResult(schedule, "reads input block 1; a tree of block 0 reads "
                                "input block 0 only");
  }
  SUBCASE("allgather sends the input of another rank") {
    // Block 1 comes from rank 0: its tree has the wrong root.
    TestSchedule right = makeSchedule(Collective::allgather, 0, 3, options);
    std::vector<TestTree> trees = right.variant().trees;
    trees[1].parents = {-1, 0, 1};
    TestSchedule schedule =
        makeSchedule(Collective::allgather, 0, 3, trees, options);
    settleRates(schedule);
    expectWrongResult(schedule, "tree 1: rank 0 ends with the input of rank 0, "
                                "which is not the sender of block 1");
  }
}

TEST_CASE("a reduction in a collective that copies") {
  TestSchedule schedule = chain(Collective::broadcast);
  SUBCASE("of two sources") {
    changeRank(schedule, 1, [](TestLanes &lanes) {
      lanes[0][0].sources.push_back(input());
    });
    expectWrongResult(schedule, "rank 1 lane 0 step 0 reduces several sources, "
                                "but the collective only copies");
  }
  SUBCASE("of one, completed") {
    changeRank(schedule, 1,
               [](TestLanes &lanes) { lanes[0][0].completes = true; });
    expectWrongResult(schedule, "completes a reduction");
  }
}

TEST_CASE("exactly one fold completes, after all reductions") {
  TestSchedule schedule = chain(Collective::allreduce);
  SUBCASE("none does") {
    changeRank(schedule, 0,
               [](TestLanes &lanes) { lanes[0][0].completes = false; });
    expectWrongResult(schedule, "no completing fold has passed");
  }
  SUBCASE("two do") {
    changeRank(schedule, 1,
               [](TestLanes &lanes) { lanes[0][1].completes = true; });
    expectWrongResult(schedule, "rank 1 lane 0 step 1 completes a value that "
                                "is complete already");
  }
  SUBCASE("one does too early") {
    changeRank(schedule, 2,
               [](TestLanes &lanes) { lanes[0][0].completes = true; });
    changeRank(schedule, 0,
               [](TestLanes &lanes) { lanes[0][0].completes = false; });
    expectWrongResult(schedule, "reduces a value that is complete already");
  }
  SUBCASE("of one rank, where another adds up the same") {
    TestSchedule half = exchange(true);
    changeRank(half, 1,
               [](TestLanes &lanes) { lanes[0][1].completes = false; });
    expectWrongResult(half, "rank 1 ends with a result that no completing");
  }
  SUBCASE("only on the way to some ranks") {
    // The root keeps an output that was not divided.
    TestSchedule split = emptySchedule(Collective::allreduce, 2);
    const uint32_t up = addChannel(split, 1, 0);
    const uint32_t down = addChannel(split, 0, 1);
    split.variant().ranks = {
        rankOf({{{0, {input(), channel(up)}, {output()}, false},
                 {0, {output()}, {channel(down)}, true}}}),
        rankOf({{{0, {input()}, {channel(up)}, false},
                 {0, {channel(down)}, {output()}, false}}})};
    settleRates(split);
    expectWrongResult(split, "rank 0 ends with a result that no completing");
  }
}

TEST_CASE("an output read back before it is written") {
  BuildOptions options;
  options.splitRoot = true;
  options.lanes = 1;
  TestSchedule schedule = makeSchedule(Collective::allreduce, 0, 3, options);
  const int root = schedule.variant().trees[0].root;
  REQUIRE(failures(judge(schedule)) == "");
  SUBCASE("in another lane") {
    changeRank(schedule, root, [](TestLanes &lanes) {
      REQUIRE(lanes[0].size() == 2);
      lanes = {{lanes[0][0]}, {lanes[0][1]}};
    });
    expectWrongResult(schedule, "may not have written yet");
  }
  SUBCASE("earlier in the lane") {
    changeRank(schedule, root,
               [](TestLanes &lanes) { std::swap(lanes[0][0], lanes[0][1]); });
    expectWrongResult(schedule, "may not have written yet");
  }
  SUBCASE("by the fold that writes it") {
    changeRank(schedule, root, [](TestLanes &lanes) {
      lanes[0][0].sources.push_back(output());
    });
    expectWrongResult(schedule, "reads the output it writes itself");
  }
  SUBCASE("on a rank that has none") {
    TestSchedule reduce = chain(Collective::reduce);
    changeRank(reduce, 1, [](TestLanes &lanes) {
      lanes[0][0].sources.push_back(output());
    });
    expectWrongResult(reduce, "which no fold of its tree writes");
  }
}

TEST_CASE("data that goes round in channels") {
  TestSchedule schedule = emptySchedule(Collective::broadcast, 3);
  const uint32_t c12 = addChannel(schedule, 1, 2);
  const uint32_t c21 = addChannel(schedule, 2, 1);
  schedule.variant().ranks = {
      rankOf({{{0, {input()}, {output()}, false}}}),
      rankOf({{{0, {channel(c21)}, {channel(c12), output()}, false}}}),
      rankOf({{{0, {channel(c12)}, {channel(c21), output()}, false}}})};
  settleRates(schedule);
  expectWrongResult(schedule, "the data goes round in a circle",
                    "result progress");
}

TEST_CASE("a rank may relay without adding anything") {
  TestSchedule schedule = emptySchedule(Collective::reduce, 3);
  const uint32_t c21 = addChannel(schedule, 2, 1);
  const uint32_t c10 = addChannel(schedule, 1, 0);
  const uint32_t d10 = addChannel(schedule, 1, 0);
  schedule.variant().ranks = {
      rankOf({{{0, {input(), channel(c10), channel(d10)}, {output()}, true}}}),
      rankOf({{{0, {channel(c21)}, {channel(c10)}, false}},
              {{0, {input()}, {channel(d10)}, false}}}),
      rankOf({{{0, {input()}, {channel(c21)}, false}}})};
  settleRates(schedule);
  CHECK(failures(judge(schedule)) == "");
}
