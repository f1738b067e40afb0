//===- BoxExchangeTest.cpp --------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The allreduce in which boxes exchange their sums.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/BoxExchange.h"

#include "compiler/plan/Latency.h"
#include "test/unit/packing/Pods.h"

#include "doctest/doctest.h"

#include <numeric>

using namespace blink;
using namespace blink::test;

namespace {

std::optional<BoxExchange>
exchangeOf(const RankTopology &rankTopology, unsigned maxLanes = 16,
           Collective collective = Collective::allreduce) {
  return valueOf(packBoxExchange({&rankTopology, collective, 0}, maxLanes));
}

/// Returns the number of a tree's channels that leave their machine, and of
/// those that do not.
std::pair<int, int> channelsOf(const FoldProgram &program, int tree) {
  std::pair<int, int> counts;
  for (const FoldProgram::Channel &channel : program.channels)
    if (channel.tree == tree)
      ++(channel.leavesMachine() ? counts.first : counts.second);
  return counts;
}

} // namespace

TEST_CASE("boxes exchange with as many others as their number has factors") {
  struct Case {
    int boxes, gpus, exchanges, others; // others: boxes a box sends to
  };
  for (const Case &of :
       {Case{2, 4, 1, 1}, Case{4, 2, 2, 2}, Case{8, 8, 3, 3}, Case{6, 2, 2, 3},
        Case{9, 1, 2, 4}, Case{7, 2, 1, 6}, Case{32, 1, 5, 5}}) {
    CAPTURE(of.boxes);
    CAPTURE(of.gpus);
    const std::optional<BoxExchange> exchange =
        exchangeOf(podOf(of.boxes, of.gpus, of.gpus));
    REQUIRE(exchange);
    const FoldProgram &program = exchange->program;
    CHECK(hopsOf(program) == of.exchanges + (of.gpus > 1 ? 2 : 0));
    REQUIRE(program.trees.size() % size_t(of.gpus) == 0);
    for (size_t tree = 0; tree < program.trees.size(); ++tree) {
      CHECK(program.trees[tree].share ==
            doctest::Approx(1.0 / double(program.trees.size())));
      CHECK(program.trees[tree].denominator == program.trees.size());
      CHECK(channelsOf(program, int(tree)) ==
            std::pair(of.boxes * of.others, of.boxes * (of.gpus - 1) * 2));
    }
  }
}

TEST_CASE("one lane has what a place does in a tree") {
  for (unsigned maxLanes : {1, 2, 5, 16}) {
    CAPTURE(maxLanes);
    const FoldProgram program = exchangeOf(podOf(4, 4, 4), maxLanes)->program;
    for (const FoldProgram::Rank &rank : program.ranks) {
      CHECK(rank.lanes.size() <= maxLanes);
      std::vector<int> laneOf(rank.folds.size(), -1);
      for (size_t lane = 0; lane < rank.lanes.size(); ++lane) {
        int delay = 0;
        for (size_t fold : rank.lanes[lane]) {
          CHECK(laneOf[fold] == -1);
          laneOf[fold] = int(lane);
          CHECK(rank.folds[fold].delay >= delay);
          delay = rank.folds[fold].delay;
        }
      }
      for (size_t fold = 1; fold < rank.folds.size(); ++fold)
        if (rank.folds[fold].tree == rank.folds[fold - 1].tree)
          CHECK(laneOf[fold] == laneOf[fold - 1]);
    }
  }
}

TEST_CASE("sums are added in the order of boxes") {
  const FoldProgram program = exchangeOf(podOf(6, 1, 1))->program;
  for (int rank = 0; rank < 6; ++rank) {
    // First pairs of boxes exchange, then the three pairs.
    const FoldProgram::Rank &own = program.ranks[rank];
    const int places[] = {rank % 2, rank / 2};
    for (size_t exchange = 0; exchange < 2; ++exchange) {
      const auto sources = own.sourcesOf(own.folds[exchange + 1]);
      for (int source = 0; source < int(sources.size()); ++source)
        CHECK(sources[source].isChannel() == (source != places[exchange]));
    }
  }
}

TEST_CASE("nothing where boxes cannot exchange, or need not") {
  CHECK(exchangeOf(podOf(2, 2, 2)));
  CHECK_FALSE(exchangeOf(podOf(2, 2, 2), 16, Collective::reduce));
  CHECK_FALSE(exchangeOf(podOf(2, 2, 2, {0, 1, 2})));
  CHECK_FALSE(exchangeOf(podOf(2, 2, 2, {0, 1})));
  CHECK_FALSE(exchangeOf(podOf(11, 1, 1)));
  CHECK_FALSE(exchangeOf(podOf(2, 2, 2).withPhases()));
}
