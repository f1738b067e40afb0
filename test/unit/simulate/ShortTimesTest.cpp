//===- ShortTimesTest.cpp ---------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/ShortTimes.h"

#include "test/unit/topology/TestTopology.h"

using namespace blink;
using namespace blink::test;
using Operand = FoldProgram::Operand;

/// Returns a chain that begins at rank 0, over links of 100 GB/s without
/// latency.
static FoldProgram passedOn(int numRanks) {
  FoldProgram program;
  program.collective = Collective::broadcast;
  program.numRanks = numRanks;
  program.ranks.resize(size_t(numRanks));
  program.links.assign(size_t(numRanks) - 1, {100, 0});
  program.trees.resize(1);
  program.trees[0].share = 1;
  program.trees[0].depth = numRanks - 1;
  Operand from = Operand::input();
  for (int rank = 0; rank < numRanks; ++rank) {
    std::vector<Operand> to;
    if (rank > 0)
      to.push_back(Operand::output());
    if (rank + 1 < numRanks) {
      const int number = program.addChannel(
          0, rank, rank + 1, sched::ChannelKind::peer, std::vector<int>{rank});
      program.channels[size_t(number)].slots = 4;
      to.push_back(Operand::channel(number));
    }
    program.addFold(rank, 0, false, {from}, to);
    from = to.back();
  }
  for (FoldProgram::Rank &rank : program.ranks)
    rank.lanes.push_back({0});
  return program;
}

TEST_CASE("a message of each size costs its lanes, and pipelines fill") {
  constexpr uint32_t kChunk = 256 << 10;
  auto timeOf = [](int numRanks, uint64_t bytes) {
    return valueOf(shortTime(passedOn(numRanks), kChunk, bytes));
  };
  for (const uint64_t bytes : kShortSizes) {
    CAPTURE(bytes);
    const double two = timeOf(2, bytes), four = timeOf(4, bytes);
    // With zero copy, lanes only have to notice that data has arrived.
    CHECK(two > double(bytes) / 100e3 + 1);
    // With four ranks, chunks make two more hops.
    CHECK(four > two + 2 * 2.5);
    CHECK(four < 3 * two);
  }
  CHECK(timeOf(2, kShortSizes[3]) / timeOf(2, kShortSizes[2]) ==
        doctest::Approx(4).epsilon(0.15));
}
