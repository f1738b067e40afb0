//===- SymmetricOptimaTest.cpp -----------------------------------*- C++
//-*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Random symmetric machines, packed with and without using their symmetry: the
// optimum must be the same.
//
//===----------------------------------------------------------------------===//

#include "compiler/generate/Generate.h"
#include "compiler/packing/PackTrees.h"
#include "compiler/packing/lp/ColumnGeneration.h"
#include "compiler/packing/lp/SpanningCost.h"
#include "test/unit/topology/SymmetricMachines.h"

using namespace blink;
using namespace blink::test;

TEST_CASE("a tree without directions costs no more than any with them") {
  std::minstd_rand random(9);
  int alike = 0, others = 0;
  std::vector<Topology> machines;
  for (int trial = 0; trial < 40; ++trial)
    machines.push_back(symmetricMachine(random, 4, 14));
  for (int trial = 0; trial < 10; ++trial) {
    machines.push_back(valueOf(generateMesh({6, 3}, {})));
    machines.push_back(
        valueOf(generatePod(shippedTopology("mi250"), 2, 1, {})));
  }
  for (const Topology &topology : machines) {
    CAPTURE(topology.name);
    const RankTopology machine = rankTopologyOf(topology);
    const Symmetry symmetry = Symmetry::find(machine);
    // One price for each class of links; some are equal and some are zero.
    std::vector<double> ofClass(size_t(symmetry.numLinkClasses()));
    for (double &price : ofClass)
      price = double(random() % 6) / 4;
    std::vector<double> prices;
    for (size_t link = 0; link < topology.links.size(); ++link)
      prices.push_back(ofClass[size_t(symmetry.linkClass(int(link)))]);
    const double spanning = spanningCost(
        symmetry, machine.cheapestPaths(prices, symmetry.representatives()));
    const int n = machine.numRanks();
    const CostGraph costs(machine.cheapestPaths(prices).costs, n);
    const bool isExact = symmetry.representatives().size() == 1;
    ++(isExact ? alike : others);
    for (int root = 0; root < n; ++root)
      for (const CostGraph &way : {costs, costs.reversed()}) {
        const double cost = costOf(way.reversed(), minArborescence(way, root));
        CHECK(spanning <= cost + 1e-9);
        if (isExact)
          CHECK(spanning == doctest::Approx(cost).epsilon(1e-12));
      }
  }
  CHECK(alike > 20);
  CHECK(others > 5);
}

TEST_CASE("symmetry leaves every optimum as it is") {
  std::minstd_rand random(4);
  int modulo = 0;
  for (int trial = 0; trial < 16; ++trial) {
    const Topology topology = symmetricMachine(random, 4, 12);
    CAPTURE(trial);
    CAPTURE(topology.name);
    const RankTopology machine = rankTopologyOf(topology);
    for (Collective collective :
         {Collective::allgather, Collective::allreduce, Collective::broadcast,
          Collective::alltoall}) {
      CAPTURE(toString(collective).str());
      PackingProblem problem{&machine, collective,
                             int(random() % machine.numRanks())};
      const SolveWatcher none;
      const SymmetricProblem reduced = SymmetricProblem::reduce(problem);
      modulo += reduced.order() > 1;
      const PackedTrees with = valueOf(packTrees(problem));
      const PackedTrees without = valueOf(
          ColumnGeneration(SymmetricProblem::plain(problem), none).run());
      CHECK(!problem.verify(with.packing));
      CHECK(!problem.verify(without.packing));
      CHECK(with.packing.algbw ==
            doctest::Approx(without.packing.algbw).epsilon(1e-6));
      CHECK(with.certificate.bound ==
            doctest::Approx(without.certificate.bound).epsilon(1e-6));
    }
  }
  CHECK(modulo > 40); // of 48 without a root
}
