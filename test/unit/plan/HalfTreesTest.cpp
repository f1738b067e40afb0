//===- HalfTreesTest.cpp ----------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The allreduce of two ranks in which each rank is the root of half of the
// bytes.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/HalfTrees.h"
#include "compiler/packing/PackTrees.h"
#include "compiler/packing/SelectTrees.h"
#include "compiler/packing/order/OrderedTrees.h"
#include "compiler/plan/SpreadTrees.h"
#include "test/unit/topology/TestTopology.h"

#include "doctest/doctest.h"

#include <random>

using namespace blink;
using namespace blink::test;

namespace {

Packing packed(const PackingProblem &problem) {
  const PackedTrees all = valueOf(packTrees(problem));
  return valueOf(selectTrees(problem, all, {}));
}

/// Returns the part of the trees' weight whose root is rank 0.
double partOfFirst(const Packing &packing) {
  double sum = 0;
  for (const Tree &tree : packing.trees)
    sum += tree.root == 0 ? tree.weight : 0;
  return sum / packing.algbw;
}

/// Checks what must hold for all trees over two ranks.
void checkHalves(const PackingProblem &problem, const Packing &packing) {
  const Packing halves = halfTrees(problem, packing);
  CHECK(partOfFirst(halves) == doctest::Approx(0.5));
  CHECK(halves.algbw == doctest::Approx(packing.algbw));
  CHECK(halves.trees.size() <= 2 * packing.trees.size());
  if (llvm::Error error = problem.verify(halves))
    FAIL(llvm::toString(std::move(error)));
  const std::vector<double> before = problem.linkLoads(packing);
  const std::vector<double> after = problem.linkLoads(halves);
  for (size_t link = 0; link < before.size(); ++link)
    CHECK(after[link] == doctest::Approx(before[link]));
}

RankTopology randomPair(std::minstd_rand &random) {
  std::string links;
  for (int i = 0; i < 6; ++i) {
    const bool back = i % 2;
    links += llvm::formatv(
        R"({0}{{"from": "{1}", "to": "{2}", "bandwidth": {3}, "kind": "{4}",
        "directed": true})",
        i > 0 ? "," : "", back ? "b" : "a", back ? "a" : "b", 1 + random() % 40,
        i < 4 ? "nvlink" : "xgmi");
  }
  return rankTopologyOf(makeTopology(
      R"({"id": "a", "kind": "gpu"}, {"id": "b", "kind": "gpu"})", links));
}

} // namespace

TEST_CASE("each of two ranks is the root of half of the bytes") {
  for (const char *name :
       {"pcie-2gpu", "rtx3090-2gpu", "gh200-nvl2", "azure-nc80adis-h100"}) {
    CAPTURE(name);
    const RankTopology ranks = rankTopologyOf(shippedTopology(name));
    const PackingProblem problem{&ranks, Collective::allreduce};
    checkHalves(problem, packed(problem));
  }
  std::minstd_rand random(3);
  for (int variation = 0; variation < 30; ++variation) {
    CAPTURE(variation);
    const RankTopology ranks = randomPair(random);
    const PackingProblem problem{&ranks, Collective::allreduce};
    checkHalves(problem, packed(problem));
  }
}

TEST_CASE("halves keep to the order of sums") {
  const Association chain(Parentheses::chain, 2);
  const RankTopology ranks = rankTopologyOf(shippedTopology("pcie-2gpu"));
  PackingProblem problem{&ranks, Collective::allreduce};
  Packing packing = packed(problem);
  problem.association = &chain;
  for (Tree &tree : packing.trees)
    tree.up = orderedStar(chain, tree);
  checkHalves(problem, packing);
}

TEST_CASE("halves are chosen where the model finds them no slower") {
  const RankTopology ranks = rankTopologyOf(shippedTopology("rtx4090-2gpu"));
  const PackingProblem problem{&ranks, Collective::allreduce};
  const Packing whole = packed(problem);
  REQUIRE(whole.trees.size() == 1);
  CHECK(valueOf(chooseHalves(problem, whole, {}, 0)).trees.size() == 2);
  CHECK(valueOf(chooseHalves(problem, whole, {}, 2)).trees.size() == 2);
  CHECK(valueOf(chooseHalves(problem, whole, {}, 1)).trees.empty());
  // Halving halved trees changes nothing.
  const Packing halves = halfTrees(problem, whole);
  CHECK(halfTrees(problem, halves).trees.size() == 2);
}

TEST_CASE("what has no halves") {
  const RankTopology two = rankTopologyOf(shippedTopology("pcie-2gpu"));
  const RankTopology three =
      rankTopologyOf(shippedTopology("a100-nv4"), {0, 1, 2});
  for (const PackingProblem &problem :
       {PackingProblem{&two, Collective::broadcast},
        PackingProblem{&two, Collective::reducescatter},
        PackingProblem{&three, Collective::allreduce}})
    CHECK(halfTrees(problem, packed(problem)).trees.empty());
}
