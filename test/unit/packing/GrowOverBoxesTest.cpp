//===- GrowOverBoxesTest.cpp ------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Trees over the places of equal boxes: their properties, and machines without
// any.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/GrowOverBoxes.h"
#include "compiler/packing/grow/PackGrown.h"
#include "compiler/packing/grow/RootedTree.h"
#include "test/unit/packing/Pods.h"
#include "test/unit/packing/TreeShapes.h"

#include <algorithm>

using namespace blink;
using namespace blink::test;

namespace {

/// Returns each rank's number of children in all trees together.
std::vector<int> childrenOf(const Packing &packing, int numRanks) {
  std::vector<int> children(numRanks, 0);
  for (const Tree &tree : packing.trees)
    for (int parent : rootedTree(tree, numRanks).parents)
      if (parent >= 0)
        ++children[parent];
  return children;
}

} // namespace

TEST_CASE("trees over boxes reach the bound, and ranks have equally much to "
          "do") {
  for (int boxes : {3, 4, 8, 13, 32})
    for (Collective collective : {Collective::broadcast, Collective::reduce})
      for (int root : {0, 13}) {
        CAPTURE(boxes);
        CAPTURE(root);
        const RankTopology machine = rankTopologyOf(railPod("dgx-h100", boxes));
        const PackingProblem problem{&machine, collective, root};
        const std::vector<Packing> packings = growOverBoxes(problem, 400, 0);
        REQUIRE(packings.size() == (boxes <= 5 ? 1 : 2));
        for (const Packing &packing : packings) {
          CHECK(!problem.verify(packing));
          CHECK(packing.trees.size() == kMostSharing);
          CHECK(isGrown(problem, packing, 0));
          const std::vector<int> children =
              childrenOf(packing, machine.numRanks());
          // Each rank serves the others of its box in an eighth of the trees.
          // It sends on to at most as many boxes as it has trees for that.
          for (int rank = 0; rank < machine.numRanks(); ++rank)
            if (rank / 8 != root / 8) {
              CHECK(children[rank] >= 8 * 7);
              CHECK(children[rank] <= 8 * 7 + 8);
            }
        }
        CHECK(depthOf(packings.back().trees, machine.numRanks()) <=
              depthOf(packings.front().trees, machine.numRanks()));
      }
}

TEST_CASE("trees over boxes start with one of each place") {
  const RankTopology machine = rankTopologyOf(railPod("dgx-h100", 8));
  const PackingProblem problem{&machine, Collective::broadcast, 0};
  const std::vector<Packing> packings = growOverBoxes(problem, 400, 0);
  REQUIRE(!packings.empty());
  const Packing &packing = packings.front();
  for (int place = 0; place < 8; ++place) {
    const RootedTree tree =
        rootedTree(packing.trees[size_t(place)], machine.numRanks());
    for (int rank = 8; rank < machine.numRanks(); ++rank)
      CHECK(tree.parents[rank] % 8 == place);
  }
}

TEST_CASE("in trees of the root's place, its box's ranks serve the others by "
          "turns") {
  const RankTopology machine = rankTopologyOf(railPod("dgx-h100", 8));
  const PackingProblem problem{&machine, Collective::broadcast, 0};
  const std::vector<Packing> packings = growOverBoxes(problem, 400, 0);
  REQUIRE(!packings.empty());
  std::vector<int> turns(8, 0);
  for (size_t tree = 0; tree < packings.front().trees.size(); tree += 8) {
    const RootedTree own =
        rootedTree(packings.front().trees[tree], machine.numRanks());
    const auto begin = own.parents.begin();
    REQUIRE(std::count(begin, begin + 8, 0) == 1);
    ++turns[size_t(std::find(begin, begin + 8, 0) - begin)];
  }
  CHECK(*std::min_element(turns.begin() + 1, turns.end()) == 1);
}

TEST_CASE("there are no trees over boxes where links or options forbid them") {
  const RankTopology machine = rankTopologyOf(railPod("dgx-h100", 8));
  const PackingProblem problem{&machine, Collective::broadcast, 0};
  CHECK(growOverBoxes(problem, 401, 0).empty());
  CHECK(growOverBoxes(problem, 400, 15).empty());
  const std::vector<Packing> few = growOverBoxes(problem, 400, 20);
  REQUIRE(few.size() == 1);
  CHECK(few.front().trees.size() == 16);
  // The NVLinks of a DGX-1 do not join each two GPUs; and a single box has no
  // other boxes.
  const RankTopology mesh = rankTopologyOf(railPod("dgx1", 4));
  CHECK(growOverBoxes({&mesh, Collective::broadcast, 0}, 400, 0).empty());
  const RankTopology box = rankTopologyOf(shippedTopology("dgx2"));
  CHECK(growOverBoxes({&box, Collective::broadcast, 0}, 150, 0).empty());
}
