//===- PackStarsTest.cpp ----------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// One path for each pair of ranks, compared with linear programs over all
// paths.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/PackStars.h"
#include "compiler/generate/Generate.h"
#include "compiler/packing/lp/ColumnGeneration.h"
#include "test/unit/packing/Pods.h"
#include "test/unit/topology/TestTopology.h"

#include <random>
#include <string>

using namespace blink;
using namespace blink::test;

namespace {

constexpr Collective kRouted[] = {Collective::gather, Collective::scatter,
                                  Collective::alltoall};

/// Returns GPUs on leaves, each with one link, and leaves on spines. Bandwidths
/// of the links to spines are chosen at random.
Topology leavesAndSpines(std::minstd_rand &random, int leaves, int spines,
                         int gpusOfLeaf) {
  Topology machine;
  machine.name = "leaves";
  const auto add = [&](std::string id, NodeKind kind) {
    machine.nodes.push_back({std::move(id), kind});
    return int(machine.nodes.size()) - 1;
  };
  const auto join = [&](int a, int b, double bandwidth) {
    machine.links.push_back({a, b, bandwidth, 1, LinkKind::nvlink});
    machine.links.push_back({b, a, bandwidth, 1, LinkKind::nvlink});
  };
  std::vector<int> tops;
  for (int spine = 0; spine < spines; ++spine)
    tops.push_back(add("s" + std::to_string(spine), NodeKind::switch_));
  for (int leaf = 0; leaf < leaves; ++leaf) {
    const int at = add("l" + std::to_string(leaf), NodeKind::switch_);
    for (int top : tops)
      join(at, top, 20 + 20 * double(random() % 3));
    for (int gpu = 0; gpu < gpusOfLeaf; ++gpu)
      join(add("g" + std::to_string(leaf * gpusOfLeaf + gpu), NodeKind::gpu),
           at, 10);
  }
  return machine;
}

} // namespace

TEST_CASE("single paths fill the links of a fat tree evenly") {
  for (LinkKind kind : {LinkKind::nvlink, LinkKind::network}) {
    const RankTopology machine =
        rankTopologyOf(valueOf(generateFatTree(8, 1, Wire{25, 0.7, kind})));
    const int n = machine.numRanks();
    for (Collective collective : kRouted) {
      const PackingProblem problem{&machine, collective, 5};
      const SymmetricProblem reduced = SymmetricProblem::reduce(problem);
      const std::optional<PackedTrees> packed = packStars(reduced, 0);
      REQUIRE(packed);
      CHECK(packed->packing.trees.size() == reduced.roots().size());
      CHECK(packed->packing.algbw ==
            doctest::Approx(25. * n / (n - 1)).epsilon(1e-9));
      CHECK(packed->certificate.bound ==
            doctest::Approx(packed->packing.algbw).epsilon(1e-9));
      CHECK(!problem.verify(packed->packing));
      CHECK(valueOf(boundAt(problem, packed->certificate.prices)).bound ==
            doctest::Approx(packed->certificate.bound).epsilon(1e-9));
    }
  }
}

TEST_CASE("single paths are taken only if they are as fast as any") {
  std::minstd_rand random(11);
  int taken = 0, left = 0;
  for (int trial = 0; trial < 36; ++trial) {
    const RankTopology machine = rankTopologyOf(leavesAndSpines(
        random, 3 + int(random() % 2), 1 + int(random() % 3), 6));
    const PackingProblem problem{&machine, kRouted[trial % 3], 1};
    const SymmetricProblem reduced = SymmetricProblem::reduce(problem);
    const std::optional<PackedTrees> packed = packStars(reduced, 0);
    ++(packed ? taken : left);
    if (!packed)
      continue;
    const PackedTrees best =
        valueOf(ColumnGeneration(reduced, /*watcher=*/nullptr).run());
    CHECK(packed->packing.algbw ==
          doctest::Approx(best.packing.algbw).epsilon(1e-6));
    CHECK(packed->certificate.bound >= best.packing.algbw * (1 - 1e-6));
  }
  CHECK(taken > 5);
  CHECK(left > 0);
}

TEST_CASE("single paths avoid links that are too few for the shortest ones") {
  // A router with links to two groups makes the way from one of these to the
  // other shorter than the one link between them.
  const RankTopology machine = rankTopologyOf(
      valueOf(generateDragonfly(4, 2, 10, /*globalBandwidth=*/5, Wire{})));
  const PackingProblem problem{&machine, Collective::alltoall, 0};
  const SymmetricProblem reduced = SymmetricProblem::reduce(problem);
  const std::optional<PackedTrees> packed = packStars(reduced, 0);
  REQUIRE(packed);
  const double best =
      valueOf(ColumnGeneration(reduced, /*watcher=*/nullptr).run())
          .packing.algbw;
  CHECK(packed->packing.algbw == doctest::Approx(best).epsilon(1e-6));
  CHECK(packed->certificate.bound == doctest::Approx(best).epsilon(1e-6));
}

TEST_CASE(
    "where ranks have to forward, or are few, there are no single paths") {
  const auto packs = [](const RankTopology &machine) {
    const PackingProblem problem{&machine, Collective::alltoall, 0};
    return packStars(SymmetricProblem::reduce(problem), 0).has_value();
  };
  CHECK(!packs(rankTopologyOf(valueOf(generateTorus({5, 5}, Wire{})))));
  // Over the other ranks of a server and their NICs it is faster.
  CHECK(!packs(podOf(3, 6, 6)));
  CHECK(!packs(rankTopologyOf(valueOf(generateFullyConnected(16, Wire{})))));
  CHECK(packs(rankTopologyOf(valueOf(generateFullyConnected(17, Wire{})))));
}
