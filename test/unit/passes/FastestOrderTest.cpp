//===- FastestOrderTest.cpp -------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/FastestOrder.h"

#include "compiler/packing/PackTrees.h"
#include "compiler/packing/SelectTrees.h"
#include "compiler/plan/AssignLanes.h"
#include "compiler/plan/ChunkChoice.h"
#include "compiler/plan/ExpandForest.h"
#include "compiler/plan/SpreadTrees.h"
#include "compiler/simulate/ShortTimes.h"
#include "test/unit/topology/TestTopology.h"

using namespace blink;
using namespace blink::test;

namespace {

constexpr unsigned kMaxLanes = 16;
constexpr VariantUse kLarge = {Protocol::simple, std::nullopt};

/// Returns the folds of the selected trees in parts, without lanes.
FoldProgram looseProgram(const std::string &machine, Collective collective,
                         unsigned maxLanes = kMaxLanes) {
  const RankTopology ranks = rankTopologyOf(shippedTopology(machine));
  const PackingProblem problem{&ranks, collective, 0};
  const Packing packing =
      valueOf(selectTrees(problem, valueOf(packTrees(problem)), {}));
  std::vector<unsigned> parts =
      valueOf(chooseParts(problem, packing, {maxLanes, 0}, 0));
  if (parts.empty())
    parts.assign(packing.trees.size(), 1);
  return splitTrees(valueOf(expandForest(problem, packing)), parts);
}

FoldProgram inGivenOrder(FoldProgram program, VariantUse use = kLarge,
                         unsigned maxLanes = kMaxLanes, bool mayMix = false) {
  assignLanes(program, use.protocol, maxLanes, {}, mayMix);
  return program;
}

bool haveSameLanes(const FoldProgram &program, const FoldProgram &other) {
  return llvm::equal(
      program.ranks, other.ranks,
      [](const auto &a, const auto &b) { return a.lanes == b.lanes; });
}

struct Ordered {
  FoldProgram program;
  LaneOrder order;
};

Ordered fastestOf(const FoldProgram &loose, VariantUse use = kLarge,
                  unsigned maxLanes = kMaxLanes) {
  FoldProgram program = loose;
  const LaneOrder order =
      valueOf(assignFastestOrder(program, use, maxLanes, [](FoldProgram &) {}));
  FoldProgram again = loose;
  assignLanes(again, use.protocol, maxLanes, placesOf(loose, order.trees),
              order.mayMix);
  CHECK(haveSameLanes(program, again));
  return {std::move(program), order};
}

FoldProgram inFastestOrder(const FoldProgram &loose, VariantUse use = kLarge) {
  return fastestOf(loose, use).program;
}

double timeOf(FoldProgram program, VariantUse use, uint64_t bytes) {
  const ChannelSlots slots = chooseSlotsFor(program, use, 0);
  assignSlots(program, slots);
  return valueOf(shortTime(program, slots.chunks, bytes, use.protocol));
}

/// Returns the time of the fastest order over that of the given one.
double partOf(const std::string &machine, Collective collective,
              VariantUse use = kLarge, uint64_t bytes = 4 << 20) {
  const FoldProgram loose = looseProgram(machine, collective);
  return timeOf(inFastestOrder(loose, use), use, bytes) /
         timeOf(inGivenOrder(loose, use), use, bytes);
}

} // namespace

TEST_CASE("messages of 4 MiB are faster where many trees share a switch") {
  CHECK(partOf("dgx2", Collective::allreduce) < 0.9);
  CHECK(partOf("dgx-h100", Collective::allreduce) < 0.9);
  CHECK(partOf("dgx-a100", Collective::reducescatter) < 0.97);
  CHECK(partOf("mi300x", Collective::broadcast) < 0.9);
  CHECK(partOf("mi300x", Collective::reduce) < 0.97);
  CHECK(partOf("gh200-4gpu", Collective::allgather) < 0.95);
}

TEST_CASE("small messages are faster if ranks begin with different ones") {
  const VariantUse small{Protocol::low_latency, 128 << 10};
  for (const uint64_t bytes : {1 << 10, 100 << 10})
    CHECK(partOf("gb200-nvl72", Collective::alltoall, small, bytes) < 0.9);
}

TEST_CASE("no order is slower than the given one") {
  for (const char *machine : {"dgx1", "mi250", "gh200-4gpu", "pcie-8gpu"})
    for (Collective collective :
         {Collective::allreduce, Collective::broadcast, Collective::reduce,
          Collective::allgather, Collective::scatter, Collective::alltoall}) {
      CAPTURE(machine);
      CAPTURE(toString(collective));
      // Other sizes count as well.
      CHECK(partOf(machine, collective) < 1.03);
    }
}

TEST_CASE("an order has all folds, in lanes that do not depend on it") {
  const FoldProgram loose = looseProgram("dgx-h100", Collective::allreduce);
  const FoldProgram given = inGivenOrder(loose), other = inFastestOrder(loose);
  REQUIRE(given.ranks.size() == other.ranks.size());
  for (size_t rank = 0; rank < given.ranks.size(); ++rank) {
    const auto &lanes = other.ranks[rank].lanes;
    CHECK(lanes.size() == given.ranks[rank].lanes.size());
    CHECK(lanes != given.ranks[rank].lanes);
    std::vector<int> seen(loose.ranks[rank].folds.size(), 0);
    for (const std::vector<size_t> &lane : lanes)
      for (const size_t fold : lane)
        ++seen[fold];
    CHECK(seen == std::vector<int>(seen.size(), 1));
  }
}

TEST_CASE("folds with a lane each stay in the given order") {
  const FoldProgram loose = looseProgram("pcie-4gpu", Collective::broadcast);
  const FoldProgram given = inGivenOrder(loose), other = inFastestOrder(loose);
  for (size_t rank = 0; rank < given.ranks.size(); ++rank)
    CHECK(given.ranks[rank].lanes == other.ranks[rank].lanes);
}

TEST_CASE("few lanes have folds of both directions if that is faster") {
  struct Case {
    const char *machine;
    Collective collective;
    unsigned lanes;
    double part; ///< of the time of lanes with one direction, at most
  };
  for (auto [machine, collective, lanes, part] :
       {Case{"dgx1", Collective::allreduce, 3, 0.9},
        Case{"mi250x", Collective::reducescatter, 2, 0.7},
        Case{"dgx-a100", Collective::scatter, 2, 0.6},
        Case{"dgx-a100", Collective::alltoall, 4, 0.7}}) {
    CAPTURE(machine);
    CAPTURE(toString(collective));
    const FoldProgram loose = looseProgram(machine, collective, lanes);
    const FoldProgram apart = inGivenOrder(loose, kLarge, lanes);
    const Ordered found = fastestOf(loose, kLarge, lanes);
    CHECK(found.order.mayMix);
    for (const uint64_t bytes : {16 << 20, 64 << 20})
      CHECK(timeOf(found.program, kLarge, bytes) <=
            part * timeOf(apart, kLarge, bytes));
  }
}

TEST_CASE("directions stay apart if some messages are slower in simulations") {
  constexpr unsigned kLanes = 3;
  const FoldProgram loose =
      looseProgram("gh200-4gpu", Collective::allreduce, kLanes);
  const FoldProgram apart = inGivenOrder(loose, kLarge, kLanes);
  const FoldProgram mixed = inGivenOrder(loose, kLarge, kLanes, true);
  // The model only knows that it is better for long ones.
  REQUIRE(timeOf(mixed, kLarge, 64 << 20) <
          0.9 * timeOf(apart, kLarge, 64 << 20));
  REQUIRE(timeOf(mixed, kLarge, 4 << 20) >
          1.05 * timeOf(apart, kLarge, 4 << 20));
  CHECK(!fastestOf(loose, kLarge, kLanes).order.mayMix);
  // Nobody sends these 4 MiB if others serve them.
  VariantUse use = kLarge;
  use.minBytes = 8 << 20;
  CHECK(fastestOf(loose, use, kLanes).order.mayMix);
}
