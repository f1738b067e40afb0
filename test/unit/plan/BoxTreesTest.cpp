//===- BoxTreesTest.cpp -----------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Trees that cross each rail once per box.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/BoxTrees.h"

#include "compiler/packing/Boxes.h"
#include "compiler/plan/AssignLanes.h"
#include "compiler/plan/ExpandForest.h"
#include "compiler/plan/NetworkCosts.h"
#include "test/unit/packing/Pods.h"

#include "doctest/doctest.h"

using namespace blink;
using namespace blink::test;

namespace {

std::optional<Packing> boxTrees(const RankTopology &rankTopology,
                                Collective collective, int root = 0) {
  return valueOf(packBoxTrees({&rankTopology, collective, root}));
}

/// Returns the number of edges between ranks of different boxes, which must all
/// be at the same place.
int crossings(const std::vector<TreeEdge> &edges, int gpus) {
  int number = 0;
  for (const TreeEdge &edge : edges)
    if (edge.from / gpus != edge.to / gpus) {
      CHECK(edge.from % gpus == edge.to % gpus);
      ++number;
    }
  return number;
}

} // namespace

TEST_CASE("each root sends each box one message") {
  for (auto [boxes, gpus] :
       {std::pair(2, 4), std::pair(4, 8), std::pair(9, 1), std::pair(32, 2)}) {
    CAPTURE(boxes);
    CAPTURE(gpus);
    const RankTopology pod = podOf(boxes, gpus, gpus);
    const std::optional<Packing> packing = boxTrees(pod, Collective::allgather);
    REQUIRE(packing);
    const Packing full = packing->inFull();
    REQUIRE(full.trees.size() == size_t(boxes * gpus));
    for (size_t tree = 0; tree < full.trees.size(); ++tree) {
      const Tree &of = full.trees[tree];
      CHECK(of.root == int(tree));
      CHECK(of.depth(boxes * gpus) == (gpus > 1 ? 2 : 1));
      CHECK(crossings(of.down, gpus) == boxes - 1);
      CHECK(of.up.empty());
    }
  }
}

TEST_CASE("a broadcast goes over every place, with equal parts") {
  for (int root : {0, 5}) {
    CAPTURE(root);
    const RankTopology pod = podOf(8, 4, 4);
    for (Collective collective : {Collective::broadcast, Collective::reduce}) {
      const std::optional<Packing> packing = boxTrees(pod, collective, root);
      REQUIRE(packing);
      REQUIRE(packing->trees.size() == 4);
      for (const Tree &tree : packing->trees) {
        CHECK(tree.root == root);
        CHECK(tree.weight == doctest::Approx(packing->algbw / 4));
        CHECK(crossings(collective == Collective::reduce ? tree.up : tree.down,
                        4) == 7);
        CHECK(tree.depth(32) <= 5); // as few as doubling takes
      }
    }
  }
}

TEST_CASE("no trees where boxes differ, are one or too many") {
  CHECK(boxTrees(podOf(2, 2, 2), Collective::allgather));
  CHECK_FALSE(boxTrees(podOf(2, 2, 2), Collective::allreduce));
  CHECK_FALSE(boxTrees(podOf(2, 2, 2), Collective::reducescatter));
  CHECK_FALSE(boxTrees(podOf(2, 2, 2), Collective::alltoall));
  CHECK_FALSE(boxTrees(podOf(2, 2, 2, {0, 1, 2}), Collective::allgather));
  CHECK_FALSE(boxTrees(podOf(2, 2, 2, {0, 1}), Collective::allgather));
  CHECK_FALSE(boxTrees(podOf(33, 1, 1), Collective::allgather));
  CHECK_FALSE(boxTrees(podOf(2, 2, 2).withPhases(), Collective::allgather));
}

TEST_CASE("lanes of small messages share the time of their folds") {
  const RankTopology pod = podOf(4, 8, 8);
  const PackingProblem problem{&pod, Collective::allgather, 0};
  FoldProgram program =
      valueOf(expandForest(problem, *valueOf(packBoxTrees(problem))));
  assignSmallLanes(program, 8);
  const std::vector<double> engines = engineCosts(program);
  for (const FoldProgram::Rank &rank : program.ranks) {
    if (rank.folds.empty())
      continue; // an image of another tree
    CHECK(rank.lanes.size() == 8);
    double least = 1e9, most = 0, longest = 0;
    for (const std::vector<size_t> &lane : rank.lanes) {
      double time = 0;
      for (size_t fold : lane) {
        double own = 2;
        for (const auto &operand : rank.operandsOf(rank.folds[fold]))
          own += operand.isChannel() ? engines[size_t(operand.index)] : 0;
        longest = std::max(longest, own);
        time += own;
      }
      least = std::min(least, time);
      most = std::max(most, time);
    }
    CHECK(most - least <= longest);
  }
}

TEST_CASE("boxes are those that paths without a nic join") {
  const std::vector<std::vector<int>> boxes =
      equalBoxes(podOf(3, 3, 1, {0, 4, 8, 1, 3, 7}));
  CHECK(boxes == std::vector<std::vector<int>>{{0, 3}, {1, 4}, {2, 5}});
}
