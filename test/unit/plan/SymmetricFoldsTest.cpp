//===- SymmetricFoldsTest.cpp -----------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A program in symmetric form must give the same answers as the program in
// full.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/SymmetricFolds.h"

#include "compiler/generate/Generate.h"
#include "compiler/packing/PackTrees.h"
#include "compiler/plan/AssignLanes.h"
#include "compiler/plan/ChunkChoice.h"
#include "compiler/plan/ExpandForest.h"
#include "compiler/plan/Latency.h"
#include "compiler/plan/LatencyTree.h"
#include "compiler/plan/NetworkCosts.h"
#include "compiler/plan/SpreadTrees.h"
#include "compiler/plan/SymmetricLanes.h"
#include "test/unit/topology/SymmetricMachines.h"

using namespace blink;
using namespace blink::test;

namespace {

/// Returns a torus, servers of eight GPUs with two per rail, and a machine with
/// orbits of several ranks.
std::vector<Topology> alikeMachines() {
  return {valueOf(generateTorus({5, 4}, {})),
          valueOf(generatePod(shippedTopology("dgx-h100"), 3, 4, {})),
          valueOf(generateMesh({6, 3}, {}))};
}

void compareTimes(const FoldProgram &own, const FoldProgram &full) {
  const std::vector<double> loads = loadsPerByte(own);
  const std::vector<double> loadsInFull = loadsPerByte(full);
  for (size_t link = 0; link < loads.size(); ++link)
    CHECK(loads[link] == doctest::Approx(loadsInFull[link]).epsilon(1e-12));
  CHECK(busiestEngine(own) ==
        doctest::Approx(busiestEngine(full)).epsilon(1e-12));
  CHECK(unseenEngine(own) ==
        doctest::Approx(unseenEngine(full)).epsilon(1e-12));
  CHECK(hopsOf(own) == hopsOf(full));
  CHECK(latencyOf(own) == doctest::Approx(latencyOf(full)).epsilon(1e-12));
  for (Protocol protocol : {Protocol::simple, Protocol::low_latency}) {
    const MessageTime time = timeOf(own, protocol);
    const MessageTime timeInFull = timeOf(full, protocol);
    for (uint64_t bytes :
         {uint64_t(1) << 10, uint64_t(1) << 20, uint64_t(1) << 30})
      CHECK(time.at(bytes) ==
            doctest::Approx(timeInFull.at(bytes)).epsilon(1e-9));
  }
  for (bool small : {false, true}) {
    const ChannelSlots slots = chooseSlots(own, 0, small);
    const ChannelSlots slotsInFull = chooseSlots(full, 0, small);
    CHECK(slots.chunks == slotsInFull.chunks);
    CHECK(slots.slots == slotsInFull.slots);
    FoldProgram withSlots = own, withSlotsInFull = full;
    assignSlots(withSlots, slots);
    assignSlots(withSlotsInFull, slots);
    CHECK(withSlots.channels[0].window == withSlotsInFull.channels[0].window);
    CHECK(withSlots.channels[0].slots == withSlotsInFull.channels[0].slots);
  }
  CHECK(chooseSmallSlots(own, 1 << 18, 0).chunks ==
        chooseSmallSlots(full, 1 << 18, 0).chunks);
}

/// Compares the representatives' ranks with those of the full program.
void compareRanks(const FoldProgram &own, const FoldProgram &full) {
  for (int rank = 0; rank < own.numRanks; ++rank) {
    const FoldProgram::Rank &a = own.ranks[rank], &b = full.ranks[rank];
    if (own.symmetry->elementTo(rank) != 0) {
      CHECK(a.folds.empty());
      continue;
    }
    CHECK(a.lanes == b.lanes);
    REQUIRE(a.folds.size() == b.folds.size());
    for (size_t i = 0; i < a.folds.size(); ++i) {
      CHECK(a.folds[i].delay == b.folds[i].delay);
      CHECK(a.folds[i].directMoves == b.folds[i].directMoves);
      CHECK(a.folds[i].slotMoves == b.folds[i].slotMoves);
      CHECK(a.folds[i].completes == b.folds[i].completes);
    }
    for (size_t i = 0; i < a.operands.size(); ++i) {
      CHECK(a.operands[i].kind == b.operands[i].kind);
      if (!a.operands[i].isChannel())
        CHECK(a.operands[i].index == b.operands[i].index);
    }
  }
}

} // namespace

TEST_CASE("a program is the same in symmetric form and in full") {
  for (const Topology &topology : alikeMachines()) {
    const RankTopology rankTopology = rankTopologyOf(topology);
    for (Collective collective : kUnrooted)
      for (unsigned maxLanes : {1u, 4u, 16u}) {
        CAPTURE(topology.name);
        CAPTURE(toString(collective));
        CAPTURE(maxLanes);
        const PackingProblem problem{&rankTopology, collective, 0};
        const Packing packing = valueOf(packTrees(problem)).packing;
        REQUIRE(packing.symmetry.get() != nullptr);
        const FoldProgram own =
            valueOf(planForest(problem, packing, Protocol::simple, maxLanes));
        FoldProgram full = valueOf(
            planForest(problem, packing.inFull(), Protocol::simple, maxLanes));
        // If several assignments of lanes are equally good, each rank may have
        // a different one.
        REQUIRE(shareLanes(full, *packing.symmetry));
        CHECK(own.images() * own.channels.size() == full.channels.size());
        compareTimes(own, full);
        compareRanks(own, full);
        // With trees in parts, images have their folds beside each other.
        const std::vector<unsigned> parts(packing.trees.size(), 3);
        const std::vector<unsigned> partsInFull(size_t(packing.numTrees()), 3);
        compareRanks(valueOf(planParts(problem, packing, parts, {maxLanes})),
                     valueOf(planParts(problem, packing.inFull(), partsInFull,
                                       {maxLanes})));
        CHECK(valueOf(spreadTrees(problem, packing, {maxLanes}, 0)).empty() ==
              valueOf(spreadTrees(problem, packing.inFull(), {maxLanes}, 0))
                  .empty());
      }
  }
}

TEST_CASE("trees for small messages of many ranks are symmetric, too") {
  const RankTopology torus = rankTopologyOf(valueOf(generateTorus({5, 4}, {})));
  const PackingProblem problem{&torus, Collective::allgather, 0};
  const Packing packing =
      valueOf(packLatencyTrees(problem, Protocol::low_latency));
  REQUIRE(packing.symmetry.get() != nullptr);
  CHECK(packing.numTrees() == 20);
  CHECK(!problem.verify(packing.inFull()));
}
