//===- SymmetricPackingTest.cpp ---------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A packing in symmetric form must have the same properties as the same packing
// in full.
//
//===----------------------------------------------------------------------===//

#include "compiler/generate/Generate.h"
#include "compiler/packing/FairRate.h"
#include "compiler/packing/PackTrees.h"
#include "compiler/packing/SelectTrees.h"
#include "compiler/packing/Shares.h"
#include "test/unit/topology/SymmetricMachines.h"

#include <string>

using namespace blink;
using namespace blink::test;

namespace {

/// Returns machines with more than kFewRanks ranks that look alike from several
/// ranks: from all of them, from two orbits, and with switches and NICs.
std::vector<Topology> machines() {
  return {valueOf(generateTorus({5, 4}, {})), valueOf(generateMesh({6, 3}, {})),
          valueOf(generatePod(shippedTopology("dgx-h100"), 3, 8, {})),
          valueOf(generatePod(shippedTopology("mi250"), 2, 1, {}))};
}

/// Returns the index in `full` of each tree of `packing`.
std::vector<size_t> ownPlaces(const Packing &packing, const Packing &full) {
  std::vector<size_t> places;
  for (size_t t = 0; t < full.trees.size(); ++t)
    if (packing.symmetry->elementTo(full.trees[t].root) == 0)
      places.push_back(t);
  return places;
}

void compareForms(const PackingProblem &problem, const Packing &packing) {
  const Packing full = packing.inFull();
  REQUIRE(int(full.trees.size()) == packing.numTrees());
  REQUIRE(full.trees.size() > packing.trees.size());
  CHECK(!problem.verify(packing));
  CHECK(!problem.verify(full));
  const std::vector<double> loads = problem.linkLoads(packing);
  const std::vector<double> loadsInFull = problem.linkLoads(full);
  for (size_t link = 0; link < loads.size(); ++link)
    CHECK(loads[link] == doctest::Approx(loadsInFull[link]).epsilon(1e-12));

  const Shares shares = valueOf(exactShares(problem, packing));
  const Shares sharesInFull = valueOf(exactShares(problem, full));
  const std::vector<size_t> places = ownPlaces(packing, full);
  REQUIRE(places.size() == packing.trees.size());
  for (size_t t = 0; t < places.size(); ++t)
    CHECK(double(shares.numerators[t]) / shares.denominators[t] ==
          doctest::Approx(double(sharesInFull.numerators[places[t]]) /
                          sharesInFull.denominators[places[t]])
              .epsilon(1e-7));
  CHECK(
      rateOfShares(problem, packing, shares) ==
      doctest::Approx(rateOfShares(problem, full, sharesInFull)).epsilon(1e-6));

  const std::vector<unsigned> one(packing.trees.size(), 1);
  CHECK(fairRate(problem, packing, one) ==
        doctest::Approx(fairRate(problem, full,
                                 std::vector<unsigned>(full.trees.size(), 1)))
            .epsilon(1e-9));
  const std::vector<unsigned> parts = evenParts(problem, packing);
  const std::vector<unsigned> partsInFull = evenParts(problem, full);
  for (size_t t = 0; t < places.size(); ++t)
    CHECK(parts[t] == partsInFull[places[t]]);
}

} // namespace

TEST_CASE("a packing says in symmetric form what it says in full") {
  for (const Topology &topology : machines()) {
    const RankTopology rankTopology = rankTopologyOf(topology);
    for (Collective collective : kUnrooted) {
      CAPTURE(topology.name);
      CAPTURE(toString(collective));
      const PackingProblem problem{&rankTopology, collective, 0};
      const PackedTrees packed = valueOf(packTrees(problem));
      REQUIRE(packed.packing.symmetry.get() != nullptr);
      compareForms(problem, packed.packing);
      compareForms(problem, valueOf(selectTrees(problem, packed, {})));
    }
  }
}

TEST_CASE("few ranks, relays and one root have packings in full") {
  const RankTopology few = rankTopologyOf(shippedTopology("dgx-h100"));
  CHECK(!valueOf(packTrees({&few, Collective::allreduce, 0}))
             .packing.symmetry.get());
  const RankTopology many = rankTopologyOf(valueOf(generateTorus({5, 4}, {})));
  CHECK(!valueOf(packTrees({&many, Collective::broadcast, 3}))
             .packing.symmetry.get());
}

TEST_CASE("no image stands for others, and shares of images add up") {
  const RankTopology torus = rankTopologyOf(valueOf(generateTorus({5, 4}, {})));
  const PackingProblem problem{&torus, Collective::allreduce, 0};
  Packing packing = valueOf(packTrees(problem)).packing;
  const Shares shares = valueOf(exactShares(problem, packing));
  double sum = 0;
  for (size_t t = 0; t < packing.trees.size(); ++t)
    sum += double(shares.numerators[t]) / shares.denominators[t];
  CHECK(sum * packing.symmetry->order() == doctest::Approx(1).epsilon(1e-15));

  packing.trees[0] = imageOf(*packing.symmetry, 1, packing.trees[0]);
  CHECK(textOf(problem.verify(packing)).find("stands for no others") !=
        std::string::npos);
}
