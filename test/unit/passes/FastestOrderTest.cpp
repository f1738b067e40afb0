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
FoldProgram looseProgram(const std::string &machine, Collective collective) {
  const RankTopology ranks = rankTopologyOf(shippedTopology(machine));
  const PackingProblem problem{&ranks, collective, 0};
  const Packing packing =
      valueOf(selectTrees(problem, valueOf(packTrees(problem)), {}));
  std::vector<unsigned> parts =
      valueOf(chooseParts(problem, packing, {kMaxLanes, 0}, 0));
  if (parts.empty())
    parts.assign(packing.trees.size(), 1);
  return splitTrees(valueOf(expandForest(problem, packing)), parts);
}

FoldProgram inGivenOrder(FoldProgram program, VariantUse use = kLarge) {
  assignLanes(program, use.protocol, kMaxLanes);
  return program;
}

FoldProgram inFastestOrder(const FoldProgram &loose, VariantUse use = kLarge) {
  FoldProgram program = loose;
  const TreeOrder order = valueOf(
      assignFastestOrder(program, use, kMaxLanes, [](FoldProgram &) {}));
  if (order != TreeOrder::asGiven) {
    FoldProgram again = loose;
    assignLanes(again, use.protocol, kMaxLanes, placesOf(loose, order));
    for (auto [rank, other] : llvm::zip_equal(program.ranks, again.ranks))
      CHECK(rank.lanes == other.lanes);
  }
  return program;
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
