//===- HeadroomTest.cpp -----------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/select/Headroom.h"
#include "compiler/packing/PackTrees.h"
#include "compiler/packing/SelectTrees.h"
#include "test/unit/topology/TestTopology.h"

#include <algorithm>

using namespace blink;
using namespace blink::test;

namespace {

struct Selected {
  RankTopology rankTopology;
  PackingProblem problem;
  PackedTrees packed;
  Packing packing;

  Selected(const std::vector<double> &nics, Collective collective,
           const SelectOptions &options = {})
      : rankTopology(serversOf(nics)), problem{&rankTopology, collective, 0},
        packed(valueOf(packTrees(problem))),
        packing(valueOf(selectTrees(problem, packed, options))) {
    CHECK(!problem.verify(packing));
  }

  /// Returns the highest utilisation of any NIC except that of `server`.
  double mostUsed(int server) const {
    const std::vector<double> loads = problem.linkLoads(packing);
    const Topology &topology = rankTopology.topology();
    const int nic = nodeNamed(topology, "n" + std::to_string(server));
    double most = 0;
    for (size_t l = 0; l < loads.size(); ++l) {
      const Link &link = topology.links[l];
      if (link.kind == LinkKind::network && link.from != nic && link.to != nic)
        most = std::max(most, loads[l] / link.bandwidth);
    }
    return most;
  }

  int depth() const {
    int depth = 0;
    for (const Tree &tree : packing.trees)
      depth = std::max(depth, tree.depth(rankTopology.numRanks()));
    return depth;
  }
};

} // namespace

TEST_CASE("one slow server leaves the others' NICs some room") {
  const std::vector<double> nics = {20, 20, 20, 20, 20, 20, 20, 5};
  for (Collective collective :
       {Collective::broadcast, Collective::reduce, Collective::allreduce}) {
    CAPTURE(toString(collective));
    const Selected selected(nics, collective);
    CHECK(selected.packing.algbw == doctest::Approx(5).epsilon(0.01));
    CHECK(selected.mostUsed(7) <= 0.9);
    CHECK(selected.depth() <= 2);
    // Room is worth one tree more, not many.
    CHECK(selected.packing.trees.size() <= 4);
  }
}

TEST_CASE("room is no reason for less rate, or more trees than were allowed") {
  const std::vector<double> nics = {20, 20, 20, 20, 20, 20, 20, 5};
  const Selected exact(nics, Collective::allreduce, {/*slack=*/0});
  CHECK(exact.packing.algbw == doctest::Approx(5).epsilon(1e-9));
  const Selected two(nics, Collective::allreduce, {0.01, /*maxTrees=*/2});
  CHECK(two.packing.trees.size() <= 2);
  CHECK(two.packing.algbw == doctest::Approx(5).epsilon(0.01));
}

TEST_CASE("links that have to be full are full") {
  // Each other server must receive at the full rate of its NIC.
  const Selected all({20, 20, 20, 20}, Collective::broadcast);
  CHECK(all.packing.algbw == doctest::Approx(20).epsilon(0.01));
  CHECK(all.mostUsed(0) >= 0.99);
}

TEST_CASE("what is full is told from what has a price, and from dust") {
  const RankTopology rankTopology = serversOf({20, 10});
  const PackingProblem problem{&rankTopology, Collective::broadcast, 0};
  const Topology &topology = rankTopology.topology();
  PackingCertificate proof;
  proof.prices.assign(topology.links.size(), 0);
  const int scarce = linkBetween(topology, "s", "n1");
  const int dusty = linkBetween(topology, "n0", "s");
  proof.prices[size_t(scarce)] = 1;
  proof.prices[size_t(dusty)] = 3e-17;
  const std::vector<double> bandwidths = bandwidthsWithHeadroom(problem, proof);
  for (size_t l = 0; l < topology.links.size(); ++l) {
    const Link &link = topology.links[l];
    const bool spare = link.kind == LinkKind::network && int(l) != scarce;
    CHECK(bandwidths[l] ==
          doctest::Approx(link.bandwidth * (spare ? 0.9 : 1)).epsilon(1e-12));
  }
}
