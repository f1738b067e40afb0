//===- SteadyPartTest.cpp ---------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/SteadyPart.h"

#include "compiler/simulate/Simulate.h"
#include "test/unit/topology/TestTopology.h"

#include <utility>

using namespace blink;
using namespace blink::test;
using Operand = FoldProgram::Operand;

/// Returns two broadcasts from rank 0 that share its link of 10 GB/s to rank 1.
/// One of them carries `chain` of the buffer and continues from there to rank 2
/// over 8 GB/s; the other goes directly to rank 2. Each fold has a lane.
static FoldProgram forked(double chain) {
  FoldProgram program;
  program.collective = Collective::broadcast;
  program.numRanks = 3;
  program.ranks.resize(3);
  program.links = {{10, 1}, {8, 1}, {10, 1}};
  program.trees.resize(2);
  program.trees[0].share = chain;
  program.trees[1].share = 1 - chain;
  program.trees[0].depth = 2;
  program.trees[1].depth = 1;
  auto channel = [&](int tree, int from, int to, int link) {
    const int number = program.addChannel(
        tree, from, to, sched::ChannelKind::peer, std::vector<int>{link});
    program.channels[size_t(number)].slots = 4;
    return Operand::channel(number);
  };
  const Operand first = channel(0, 0, 1, 0), second = channel(0, 1, 2, 1);
  const Operand toB = channel(1, 0, 1, 0), toC = channel(1, 0, 2, 2);
  program.addFold(0, 0, false, {Operand::input()}, {first});
  program.addFold(0, 1, false, {Operand::input()}, {toB, toC});
  program.addFold(1, 0, false, {first}, {Operand::output(), second});
  program.addFold(1, 1, false, {toB}, {Operand::output()});
  program.addFold(2, 0, false, {second}, {Operand::output()});
  program.addFold(2, 1, false, {toC}, {Operand::output()});
  for (FoldProgram::Rank &rank : program.ranks)
    for (size_t fold = 0; fold < rank.folds.size(); ++fold)
      rank.lanes.push_back({fold});
  return program;
}

/// Simulates with chunks of 64 KiB.
static double partOf(const FoldProgram &program) {
  return valueOf(
      steadyPart(program, timeOf(program, sched::Protocol::simple, 64 << 10)));
}

TEST_CASE("what more of a message costs, not the fill") {
  // Equal trees keep their shares. Latencies and the second hop cost a message
  // of this length a few percent, but do not affect the steady rate.
  CHECK(partOf(forked(0.5)) == doctest::Approx(1).epsilon(0.005));
}

TEST_CASE("a tree of a small share takes more than its part of a link") {
  // Each tree gets 5 GB/s until the light one is done after 2/5 of the time;
  // the other one then gets 8 for the 6 that are left. That gives 1/1.15,
  // except for the data still in slots.
  const double part = partOf(forked(0.8));
  CHECK(part > 0.85);
  CHECK(part < 0.92);
  // In the same lane one tree waits for the other.
  FoldProgram bound = forked(0.8);
  for (FoldProgram::Rank &rank : bound.ranks)
    rank.lanes = {{0, 1}};
  CHECK(partOf(bound) > part + 0.05);
}

TEST_CASE("a part is found exactly unless it is too little") {
  const FoldProgram program = forked(0.8);
  const MessageTime time = timeOf(program, sched::Protocol::simple, 64 << 10);
  const double part = partOf(program);
  CHECK(valueOf(steadyPart(program, time, part * 0.999)) == part);
  const double less = valueOf(steadyPart(program, time, part * 1.05));
  CHECK(less > part);
  CHECK(less < part * 1.05);
}

TEST_CASE(
    "a message is given up once its links cannot carry the rest in time") {
  const FoldProgram program = forked(0.8);
  const MessageTime time = timeOf(program, sched::Protocol::simple, 64 << 10);
  auto simulated = [&](double most) {
    SimulationOptions options;
    options.mostMicroseconds = most;
    return valueOf(simulate(program, sched::Protocol::simple, time.flow.sizes(),
                            64 << 20, options));
  };
  const Simulation whole = simulated(kInfinity);
  CHECK(simulated(whole.microseconds * 1.001).microseconds ==
        whole.microseconds);
  const Simulation given = simulated(whole.microseconds * 0.95);
  CHECK(given.microseconds > whole.microseconds * 0.95);
  CHECK(given.microseconds <= whole.microseconds);
  CHECK(given.folds < whole.folds);
}
