//===- SymmetricSimulationTest.cpp ------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A program in symmetric form must take as long as the program in full.
//
//===----------------------------------------------------------------------===//

#include "compiler/generate/Generate.h"
#include "compiler/packing/PackTrees.h"
#include "compiler/plan/ChunkChoice.h"
#include "compiler/plan/ExpandForest.h"
#include "compiler/plan/SpreadTrees.h"
#include "compiler/plan/SymmetricLanes.h"
#include "compiler/simulate/LaneCosts.h"
#include "compiler/simulate/Simulate.h"
#include "test/unit/topology/SymmetricMachines.h"

using namespace blink;
using namespace blink::test;

namespace {

/// A program in symmetric form and in full, in the same lanes.
struct BothForms {
  FoldProgram own, full;
};

BothForms programsFor(const RankTopology &ranks, Collective collective,
                      unsigned parts) {
  const PackingProblem problem{&ranks, collective, 0};
  const Packing packing = valueOf(packTrees(problem)).packing;
  REQUIRE(packing.symmetry.get() != nullptr);
  auto plan = [&](const Packing &of) {
    return valueOf(planParts(
        problem, of, std::vector<unsigned>(of.trees.size(), parts), {8, 0}));
  };
  BothForms both{plan(packing), plan(packing.inFull())};
  REQUIRE(shareLanes(both.full, *packing.symmetry));
  const ChannelSlots slots = chooseSlots(both.own, 0);
  assignSlots(both.own, slots);
  assignSlots(both.full, slots);
  return both;
}

Simulation simulated(const FoldProgram &program, uint64_t bytes, bool planned,
                     bool costs) {
  SimulationOptions options;
  options.plannedShares = planned;
  if (costs)
    modelCosts().addTo(options, program, Protocol::simple, bytes);
  return valueOf(simulate(program, Protocol::simple, 64 << 10, bytes, options));
}

} // namespace

TEST_CASE("a program takes as long in symmetric form as in full") {
  const Topology machines[] = {
      valueOf(generateTorus({5, 4}, {})),
      valueOf(generatePod(shippedTopology("dgx-h100"), 3, 4, {})),
      valueOf(generateMesh({6, 3}, {})),
      valueOf(generateDragonfly(5, 4, 1, 50, {}))};
  for (const Topology &machine : machines) {
    const RankTopology ranks = rankTopologyOf(machine);
    for (Collective collective :
         {Collective::allreduce, Collective::allgather, Collective::alltoall})
      for (unsigned parts : {1u, 3u}) {
        const BothForms both = programsFor(ranks, collective, parts);
        for (bool planned : {false, true})
          for (bool costs : {false, true})
            for (uint64_t bytes : {uint64_t(100) << 10, uint64_t(8) << 20}) {
              CAPTURE(machine.name);
              CAPTURE(toString(collective));
              CAPTURE(parts);
              CAPTURE(planned);
              CAPTURE(costs);
              CAPTURE(bytes);
              const Simulation one = simulated(both.own, bytes, planned, costs);
              const Simulation all =
                  simulated(both.full, bytes, planned, costs);
              CHECK(one.microseconds ==
                    doctest::Approx(all.microseconds).epsilon(1e-6));
              CHECK(one.folds == all.folds);
              CHECK(one.chunks == all.chunks);
              REQUIRE(one.linkUse.size() == all.linkUse.size());
              for (size_t link = 0; link < one.linkUse.size(); ++link)
                CHECK(one.linkUse[link] ==
                      doctest::Approx(all.linkUse[link]).epsilon(1e-6));
            }
      }
  }
}
