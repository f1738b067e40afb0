//===- SharesTest.cpp -------------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/Shares.h"
#include "compiler/packing/PackTrees.h"
#include "test/unit/topology/TestTopology.h"

#include <cmath>
#include <random>

using namespace blink;
using namespace blink::test;

namespace {

/// Returns trees with the given weights and roots; shares do not depend on
/// edges.
Packing weighted(std::vector<double> weights, std::vector<int> roots = {}) {
  Packing packing;
  for (size_t i = 0; i < weights.size(); ++i) {
    Tree tree;
    tree.root = roots.empty() ? 0 : roots[i];
    tree.weight = weights[i];
    packing.trees.push_back(tree);
  }
  return packing;
}

struct Machine {
  RankTopology rankTopology = rankTopologyOf(shippedTopology("a100-nv4"));
  PackingProblem problem{&rankTopology, Collective::broadcast, 0};
  PackingProblem gather{&rankTopology, Collective::allgather, 0};
};

} // namespace

TEST_CASE_FIXTURE(Machine, "small fractions are recognised") {
  Shares shares = valueOf(exactShares(problem, weighted({25, 25, 50})));
  CHECK(shares.numerators == std::vector<uint32_t>{1, 1, 2});
  CHECK(shares.denominators == std::vector<uint32_t>{4, 4, 4});
  // The weights have errors like a solver's.
  shares = valueOf(exactShares(
      problem, weighted({75.0 / 7 * (1 + 1e-13), 25.0 / 7 * (1 - 1e-13)})));
  CHECK(shares.numerators == std::vector<uint32_t>{3, 1});
  shares = valueOf(exactShares(problem, weighted({1, 4999 - 1})));
  CHECK(shares.denominators == std::vector<uint32_t>{4999, 4999});
}

TEST_CASE_FIXTURE(Machine, "other weights are rounded and add up") {
  std::minstd_rand random(9);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> weights;
    double sum = 0;
    for (int i = 2 + random() % 20; i > 0; --i) {
      weights.push_back(0.001 + random() % 100000 * std::sqrt(2.0));
      sum += weights.back();
    }
    Shares shares = valueOf(exactShares(problem, weighted(weights)));
    uint64_t total = 0;
    for (size_t i = 0; i < weights.size(); ++i) {
      CHECK(shares.denominators[i] == shares.denominators[0]);
      CHECK(shares.numerators[i] > 0);
      total += shares.numerators[i];
      CHECK(double(shares.numerators[i]) / shares.denominators[i] ==
            doctest::Approx(weights[i] / sum).epsilon(1e-4));
    }
    CHECK(total == shares.denominators[0]);
  }
}

TEST_CASE_FIXTURE(Machine, "each root of an allgather has its own whole") {
  Shares shares = valueOf(
      exactShares(gather, weighted({1, 2, 3, 2, 1, 3}, {0, 0, 1, 2, 2, 3})));
  CHECK(shares.numerators == std::vector<uint32_t>{1, 2, 1, 2, 1, 1});
  CHECK(shares.denominators == std::vector<uint32_t>{3, 3, 1, 3, 3, 1});
}

TEST_CASE_FIXTURE(Machine, "a share too small to say is an error") {
  std::string text =
      textOf(exactShares(problem, weighted({1, 1e-12})).takeError());
  CHECK(text.find("tree 1") != std::string::npos);
  CHECK(text.find("2^-30") != std::string::npos);
}

TEST_CASE("shares lose next to nothing, and rateOfShares says how much") {
  for (const char *machine : {"dgx1", "dgx2", "pcie-8gpu"})
    for (Collective collective : {Collective::allreduce, Collective::broadcast,
                                  Collective::allgather}) {
      CAPTURE(machine);
      RankTopology rankTopology = rankTopologyOf(shippedTopology(machine));
      PackingProblem problem{&rankTopology, collective, 0};
      Packing packing = valueOf(packTrees(problem)).packing;
      Shares shares = valueOf(exactShares(problem, packing));
      CHECK(rateOfShares(problem, packing, shares) ==
            doctest::Approx(packing.algbw).epsilon(1e-7));
      // Twice the share on the fullest link gives half the rate.
      Packing single = packing;
      single.trees = {packing.trees[0], packing.trees[0]};
      Shares halves{{1, 1}, {2, 2}}, wholes{{1, 1}, {1, 1}};
      CHECK(rateOfShares(problem, single, halves) ==
            doctest::Approx(2 * rateOfShares(problem, single, wholes)));
    }
}
