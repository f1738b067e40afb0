//===- TreesInBoxesTest.cpp -------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Trees that lead through boxes whose GPUs are not all joined, or over some
// places only: each crosses to each box once.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/TreesInBoxes.h"
#include "compiler/packing/Boxes.h"
#include "compiler/packing/grow/GrowForests.h"
#include "compiler/packing/grow/GrowOverBoxes.h"
#include "compiler/packing/grow/PackGrown.h"
#include "compiler/packing/grow/RootedTree.h"
#include "test/unit/packing/Pods.h"
#include "test/unit/packing/TreeShapes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace blink;
using namespace blink::test;

namespace {

/// Returns the place where a tree begins, and its depth at `place`; -1 for both
/// if it is no tree.
std::pair<int, int> beginAndDepth(const PlaceTree &tree, size_t place) {
  const std::pair<int, int> none(-1, -1);
  if (std::count(tree.begin(), tree.end(), -1) != 1)
    return none;
  int depth = 0, at = int(place);
  for (; tree[size_t(at)] >= 0; at = tree[size_t(at)])
    if (++depth > int(tree.size()))
      return none;
  return {at, depth};
}

/// Returns the least possible depth of the latest place if each tree in the
/// root's box is given another of the places.
int leastLatest(const std::vector<TreeInBoxes> &trees) {
  std::vector<size_t> order(trees.size());
  std::iota(order.begin(), order.end(), size_t(0));
  int least = int(trees.front().atRoot.size());
  do {
    int latest = 0;
    for (size_t tree = 0; tree < trees.size(); ++tree)
      latest = std::max(
          latest,
          beginAndDepth(trees[tree].atRoot, trees[order[tree]].place).second);
    least = std::min(least, latest);
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

/// Returns how often a tree crosses to another box, at whatever place.
int crossings(const Tree &tree, int numRanks, int inBox) {
  const std::vector<int> parents = rootedTree(tree, numRanks).parents;
  int number = 0;
  for (int rank = 0; rank < numRanks; ++rank)
    if (parents[size_t(rank)] >= 0 &&
        parents[size_t(rank)] / inBox != rank / inBox) {
      CHECK(parents[size_t(rank)] % inBox == rank % inBox);
      ++number;
    }
  return number;
}

} // namespace

TEST_CASE("trees in boxes span them, and cross at different places as early as "
          "possible") {
  const RankTopology machine = rankTopologyOf(railPod("mi250", 3, 25));
  const std::vector<std::vector<int>> boxes = equalBoxes(machine);
  for (Collective collective : {Collective::broadcast, Collective::reduce})
    for (int root : {0, 21})
      for (int number : {1, 6, 12}) {
        CAPTURE(root);
        CAPTURE(number);
        const std::vector<TreeInBoxes> trees = growInBoxes(
            {&machine, collective, root}, boxes, number, 25, machine.kMaxRanks);
        REQUIRE(trees.size() == size_t(number));
        std::vector<size_t> places;
        int latest = 0;
        for (const TreeInBoxes &tree : trees) {
          places.push_back(tree.place);
          for (size_t place = 0; place < 16; ++place) {
            CHECK(beginAndDepth(tree.atRoot, place).first == root % 16);
            CHECK(beginAndDepth(tree.beyond, place).first == int(tree.place));
          }
          latest =
              std::max(latest, beginAndDepth(tree.atRoot, tree.place).second);
        }
        std::sort(places.begin(), places.end());
        CHECK(std::unique(places.begin(), places.end()) == places.end());
        if (number <= 6)
          CHECK(latest == leastLatest(trees));
      }
}

TEST_CASE("a box does not carry more trees than its links") {
  const RankTopology machine = rankTopologyOf(railPod("mi250", 3, 25));
  const std::vector<std::vector<int>> boxes = equalBoxes(machine);
  const PackingProblem problem{&machine, Collective::broadcast, 0};
  // A GPU has links of 325 GB/s to others in its box.
  CHECK(growInBoxes(problem, boxes, 14, 25, 16).empty());
  CHECK(growInBoxes(problem, boxes, 12, 30, 16).empty());
  CHECK(growInBoxes(problem, boxes, 17, 1, 16).empty()); // of 16 places
}

TEST_CASE("trees through boxes cross to each box once, at one place") {
  struct {
    const char *machine;
    int boxes, inBox;
    double nic, most;
  } pods[] = {{"mi250", 2, 16, 25, 350},
              {"mi250", 7, 16, 25, 350},
              {"dgx1", 4, 8, 12.5, 100},
              {"gb200-nvl72", 3, 72, 50, 950}};
  for (const auto &pod : pods)
    for (Collective collective : {Collective::broadcast, Collective::reduce})
      for (int root : {0, pod.inBox + 5}) {
        CAPTURE(pod.machine);
        CAPTURE(root);
        const RankTopology machine =
            rankTopologyOf(railPod(pod.machine, pod.boxes, pod.nic));
        const int numRanks = machine.numRanks();
        const PackingProblem problem{&machine, collective, root};
        const double least = pod.most * 0.75;
        const std::vector<Packing> packings =
            growThroughBoxes(problem, pod.most, least, 0);
        REQUIRE(!packings.empty());
        for (const Packing &packing : packings) {
          CHECK(!problem.verify(packing));
          CHECK(isGrown(problem, packing, 0));
          CHECK(packing.algbw >= least);
          CHECK(packing.algbw <= pod.most * (1 + 1e-9));
          CHECK(packing.trees.size() ==
                2 * std::round(packing.algbw / pod.nic));
          for (const Tree &tree : packing.trees)
            CHECK(crossings(tree, numRanks, pod.inBox) == pod.boxes - 1);
        }
      }
}

TEST_CASE("trees through boxes are far lower than those at the optimum") {
  const RankTopology machine = rankTopologyOf(railPod("mi250", 8, 25));
  const PackingProblem problem{&machine, Collective::broadcast, 0};
  const std::vector<Packing> through = growThroughBoxes(problem, 350, 260, 0);
  const std::vector<Packing> grown = growForests(problem, 350, kMostGrown, 0);
  REQUIRE(!through.empty());
  REQUIRE(!grown.empty());
  for (const Packing &packing : through)
    CHECK(4 * depthOf(packing.trees, machine.numRanks()) <=
          3 * depthOf(grown.back().trees, machine.numRanks()));
}

TEST_CASE("there are no trees through boxes where options forbid them") {
  const RankTopology machine = rankTopologyOf(railPod("mi250", 3, 25));
  const PackingProblem problem{&machine, Collective::broadcast, 0};
  CHECK(growThroughBoxes(problem, 350, 326, 0).empty());
  CHECK(growThroughBoxes(problem, 24, 0, 0).empty());
  CHECK(growThroughBoxes(problem, 350, 250, 19).empty());
  for (const Packing &packing : growThroughBoxes(problem, 350, 250, 22))
    CHECK(packing.trees.size() <= 22);
  const RankTopology box = rankTopologyOf(shippedTopology("mi250"));
  CHECK(growThroughBoxes({&box, Collective::broadcast, 0}, 325, 0, 0).empty());
}
