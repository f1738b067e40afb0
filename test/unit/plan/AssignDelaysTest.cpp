//===- AssignDelaysTest.cpp - steps that do not wait in a round -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/AssignDelays.h"

#include "compiler/packing/PackTrees.h"
#include "compiler/packing/SelectTrees.h"
#include "compiler/plan/AssignLanes.h"
#include "compiler/plan/ExpandForest.h"
#include "compiler/plan/Latency.h"
#include "test/unit/topology/TestTopology.h"

#include <string>

using namespace blink;
using namespace blink::test;
using Operand = FoldProgram::Operand;

namespace {

/// Returns every channel's lag, in the order of channels.
std::vector<int> lags(const FoldProgram &program) {
  std::vector<int> lags(program.channels.size());
  for (const FoldProgram::Rank &rank : program.ranks)
    for (const FoldProgram::Fold &fold : rank.folds) {
      for (const Operand &from : rank.sourcesOf(fold))
        if (from.isChannel())
          lags[from.index] += fold.delay;
      for (const Operand &to : rank.destinationsOf(fold))
        if (to.isChannel())
          lags[to.index] -= fold.delay;
    }
  return lags;
}

std::vector<int> delays(const FoldProgram &program) {
  std::vector<int> delays;
  for (const FoldProgram::Rank &rank : program.ranks)
    for (const FoldProgram::Fold &fold : rank.folds)
      delays.push_back(fold.delay);
  return delays;
}

FoldProgram programOf(int numRanks) {
  FoldProgram program;
  program.numRanks = numRanks;
  program.ranks.resize(size_t(numRanks));
  program.trees.resize(1);
  return program;
}

int channel(FoldProgram &program, int from, int to) {
  return program.addChannel(0, from, to, sched::ChannelKind::peer);
}

} // namespace

TEST_CASE("folds of a tree lag by their level") {
  // Data goes up 2 -> 1 -> 0 and 3 -> 0, and down the same edges.
  FoldProgram program = programOf(4);
  const int parents[] = {-1, 0, 1, 0};
  int up[4], down[4];
  for (int rank = 1; rank < 4; ++rank) {
    up[rank] = channel(program, rank, parents[rank]);
    down[rank] = channel(program, parents[rank], rank);
  }
  auto at = Operand::channel;
  program.addFold(0, 0, true, {Operand::input(), at(up[1]), at(up[3])},
                  {Operand::output(), at(down[1]), at(down[3])});
  program.addFold(1, 0, false, {Operand::input(), at(up[2])}, {at(up[1])});
  program.addFold(1, 0, false, {at(down[1])}, {Operand::output(), at(down[2])});
  program.addFold(2, 0, false, {Operand::input()}, {at(up[2])});
  program.addFold(2, 0, false, {at(down[2])}, {Operand::output()});
  program.addFold(3, 0, false, {Operand::input()}, {at(up[3])});
  program.addFold(3, 0, false, {at(down[3])}, {Operand::output()});
  assignDelays(program, readyTimes(program, kCountHops), 1);
  // The short branch goes up as late as possible.
  CHECK(delays(program) == std::vector<int>{2, 1, 3, 0, 4, 1, 3});
  assignDelays(program, readyTimes(program, kCountHops), 2);
  CHECK(delays(program) == std::vector<int>{4, 2, 6, 0, 8, 2, 6});
}

TEST_CASE("where data takes ways of different length nothing lags") {
  // From 0 to 2 directly and over 1.
  FoldProgram program = programOf(3);
  const int straight = channel(program, 0, 2);
  const int there = channel(program, 0, 1), on = channel(program, 1, 2);
  auto at = Operand::channel;
  program.addFold(0, 0, false, {Operand::input()}, {at(straight), at(there)});
  program.addFold(1, 0, false, {at(there)}, {Operand::output(), at(on)});
  program.addFold(2, 0, false, {at(straight), at(on)}, {Operand::output()});
  assignDelays(program, readyTimes(program, kCountHops), 1);
  CHECK(delays(program) == std::vector<int>{0, 0, 0});
}

TEST_CASE("folds lag by two where lanes would wait for latencies") {
  // Chains 0 -> 1 -> 2 and 2 -> 1 -> 0.
  constexpr double kRound = 20; // time of a chunk on a link, in microseconds
  constexpr uint32_t kChunk = 10000;
  for (const bool shared : {false, true})
    for (const double latency : {10.0, 11.0}) {
      INFO(shared, " ", latency);
      FoldProgram program = programOf(3);
      program.links.assign(4, {kChunk / kRound / 1e3, latency});
      program.trees.assign(2, {});
      auto at = Operand::channel;
      for (int tree = 0; tree < 2; ++tree) {
        program.trees[size_t(tree)].share = 0.5;
        const int first = tree == 0 ? 0 : 2, last = 2 - first;
        const int there = program.addChannel(
            tree, first, 1, sched::ChannelKind::peer, {2 * tree});
        const int on = program.addChannel(
            tree, 1, last, sched::ChannelKind::peer, {2 * tree + 1});
        program.addFold(first, tree, false, {Operand::input()}, {at(there)});
        program.addFold(1, tree, false, {at(there)},
                        {Operand::output(), at(on)});
        program.addFold(last, tree, false, {at(on)}, {Operand::output()});
      }
      assignDelays(program, readyTimes(program, kCountHops), 1);
      program.ranks[0].lanes = {{0, 1}};
      program.ranks[1].lanes = {{0}, {1}};
      program.ranks[2].lanes = {{1, 0}};
      if (!shared)
        program.ranks[2].lanes = {{0}, {1}};
      // The cycle around both chains and through both lanes has four channels
      // and six rounds.
      const bool longer = 4 * (kRound + latency) > 1.01 * 6 * kRound;
      CHECK(leastLag(program, kChunk) == (shared && longer ? 2 : 1));
    }
}

TEST_CASE("every channel of a machine's forest lags by one round, or by two "
          "where links' latencies are as long as that") {
  for (const char *machine : {"dgx1", "mi250"})
    for (Collective collective :
         {Collective::allreduce, Collective::broadcast, Collective::allgather,
          Collective::reducescatter, Collective::alltoall})
      for (const int lag : {1, 2}) {
        INFO(std::string(machine), " ",
             std::string(sched::EnumNameCollective(collective)), " ", lag);
        Topology topology = shippedTopology(machine);
        for (Link &link : topology.links)
          link.latency *= lag == 1 ? 0.5 : 60;
        const RankTopology ranks = rankTopologyOf(std::move(topology));
        const PackingProblem problem{&ranks, collective, 0};
        const PackedTrees all = valueOf(packTrees(problem));
        FoldProgram program = valueOf(
            expandForest(problem, valueOf(selectTrees(problem, all, {}))));
        assignLanes(program, sched::Protocol::simple, 4);
        CHECK(lags(program) == std::vector<int>(program.channels.size(), lag));
        for (const FoldProgram::Rank &rank : program.ranks)
          for (const std::vector<size_t> &lane : rank.lanes)
            for (size_t i = 1; i < lane.size(); ++i)
              CHECK(rank.folds[lane[i - 1]].delay <= rank.folds[lane[i]].delay);
      }
}
