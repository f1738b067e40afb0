//===- GrowTreesTest.cpp ----------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Trees grown edge by edge, compared with the maximum flows of a different
// implementation, with Edmonds' optimum by enumeration, and on machines of many
// boxes.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/GrowTrees.h"
#include "compiler/generate/Generate.h"
#include "compiler/packing/grow/Completion.h"
#include "compiler/packing/grow/GrowForests.h"
#include "compiler/packing/grow/GrowthPaths.h"
#include "compiler/packing/grow/LowerTrees.h"
#include "compiler/packing/grow/RootedCut.h"
#include "compiler/topology/symmetry/MachineColoring.h"
#include "test/unit/packing/MaxFlow.h"
#include "test/unit/packing/Oracles.h"
#include "test/unit/packing/TreeShapes.h"
#include "test/unit/topology/TestTopology.h"

#include <algorithm>
#include <limits>

using namespace blink;
using namespace blink::test;

namespace {

constexpr double kUnit = 5; // as in randomCapacities
constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// A random machine of GPUs that are joined directly.
struct Machine {
  Capacities capacities;
  RankTopology rankTopology;

  explicit Machine(std::minstd_rand &random)
      : capacities(randomCapacities(random, 2 + int(random() % 5), false)),
        rankTopology(rankTopologyOf(machineOf(capacities))) {}

  int ranks() const { return rankTopology.numRanks(); }
  /// Returns the number of trees of kUnit that fit, by Edmonds' theorem.
  int optimum(Collective collective) const {
    return int(broadcastOptimum(collective == Collective::reduce
                                    ? reversed(capacities)
                                    : capacities,
                                0) /
                   kUnit +
               0.5);
  }
};

/// Trees that have reached some ranks, and the room that links have left.
struct Partial {
  const RankTopology *rankTopology;
  std::vector<int> room;                // by link
  std::vector<std::vector<bool>> trees; // the ranks that each has reached

  /// Returns true if the room into every set of ranks suffices: computes the
  /// maximum flow to each rank from a source that gives one unit to each tree.
  bool canBeCompleted() const {
    const int ranks = rankTopology->numRanks();
    const int source = ranks + static_cast<int>(trees.size());
    FlowNetwork network(source + 1);
    const std::vector<Link> &links = rankTopology->topology().links;
    for (size_t link = 0; link < links.size(); ++link)
      network.addEdge(links[link].from, links[link].to, room[link]);
    for (size_t tree = 0; tree < trees.size(); ++tree) {
      network.addEdge(source, ranks + static_cast<int>(tree), 1);
      for (int rank = 0; rank < ranks; ++rank)
        if (trees[tree][rank])
          network.addEdge(ranks + static_cast<int>(tree), rank, kInfinite);
    }
    for (int rank = 1; rank < ranks; ++rank)
      if (network.maxFlow(source, rank) < double(trees.size()) - 0.5)
        return false;
    return true;
  }

  /// Returns the state after `tree` has grown along `link`.
  Partial grown(size_t tree, size_t link) const {
    Partial next = *this;
    --next.room[link];
    next.trees[tree][rankTopology->topology().links[link].to] = true;
    return next;
  }
};

PathTable shortestPaths(const RankTopology &rankTopology) {
  return rankTopology.cheapestPaths(
      std::vector<double>(rankTopology.topology().links.size(), 1));
}

std::vector<Tree> grow(const PackingProblem &problem,
                       const GrowRequest &request, int variants) {
  return growTrees(problem, shortestPaths(*problem.rankTopology),
                   islandsOf(*problem.rankTopology), request, variants);
}

} // namespace

TEST_CASE("an edge is taken if and only if all trees can be completed then") {
  std::minstd_rand random(7);
  int taken = 0, refused = 0;
  for (int trial = 0; trial < 60; ++trial) {
    CAPTURE(trial);
    Machine machine(random);
    PackingProblem problem{&machine.rankTopology, Collective::broadcast, 0};
    const int copies = machine.optimum(problem.collective);
    Partial partial{&machine.rankTopology, {}, {}};
    const std::vector<Link> &links = machine.rankTopology.topology().links;
    for (const Link &link : links)
      partial.room.push_back(int(link.bandwidth / kUnit + 0.5));
    std::vector<bool> root(machine.ranks(), false);
    root[0] = true;
    CHECK(!Completion(problem, partial.room, copies + 1).begin());
    partial.trees.assign(copies, root);
    Completion completion(problem, partial.room, copies);
    REQUIRE(completion.begin());
    // Go over all edges once more than there are ranks, since a tree may reach
    // the start of an edge in a later pass.
    for (int pass = 0, missing = copies * (machine.ranks() - 1);
         pass < machine.ranks() + 1; ++pass) {
      for (size_t step = 0; step < links.size() * copies; ++step) {
        const size_t tree = (step + trial) % copies;
        const size_t link = step / copies * 7919 % links.size();
        const Link &edge = links[link];
        if (!partial.trees[tree][edge.from] || partial.trees[tree][edge.to])
          continue;
        Partial next = partial.grown(tree, link);
        const bool possible = partial.room[link] > 0 && next.canBeCompleted();
        CHECK(completion.take(int(tree), edge.to, {int(link)}) == possible);
        CHECK(completion.room(int(link)) ==
              (possible ? next : partial).room[link]);
        possible ? ++taken : ++refused;
        missing -= possible;
        if (possible)
          partial = std::move(next);
      }
      // No tree gets stuck (Lovasz).
      if (pass == machine.ranks())
        CHECK(missing == 0);
    }
  }
  CHECK(taken > 500);
  CHECK(refused > 100);
}

TEST_CASE("grown trees reach Edmonds' optimum, and no more") {
  std::minstd_rand random(11);
  for (int trial = 0; trial < 60; ++trial)
    for (Collective collective : {Collective::broadcast, Collective::reduce}) {
      CAPTURE(trial);
      Machine machine(random);
      PackingProblem problem{&machine.rankTopology, collective, 0};
      const int copies = machine.optimum(collective);
      const int children = 1 + trial % 3;
      const std::vector<int> ranks = classesAround(machine.rankTopology, 0);
      CHECK(cutsCarry(problem, ranks, copies, kUnit));
      CHECK(!cutsCarry(problem, ranks, copies + 1, kUnit));
      CHECK(!cutsCarry(problem, ranks, copies, kUnit * 1.01));
      Packing packing;
      packing.trees = grow(problem, {copies, kUnit, children}, 3);
      REQUIRE(int(packing.trees.size()) == copies);
      packing.algbw = kUnit * copies;
      CHECK(!problem.verify(packing));
      CHECK(grow(problem, {copies + 1, kUnit, children}, 3).empty());
    }
}

TEST_CASE("ranks without a link that has room have no detours") {
  const RankTopology machine =
      rankTopologyOf(valueOf(generateFatTree(4, 1, Wire{})));
  const int full = machine.nodeOf(3);
  const PathTable all = pathsToGrow(machine);
  const PathTable some = pathsToGrow(machine, [&](int link) {
    return machine.topology().links[size_t(link)].from == full;
  });
  for (int from = 0; from < machine.numRanks(); ++from)
    for (int to = 0; to < machine.numRanks(); ++to)
      CHECK(some.path(from, to) == (from == 3 ? Path() : all.path(from, to)));
}

TEST_CASE("few children make deep trees, many low ones") {
  RankTopology rankTopology = rankTopologyOf(shippedTopology("dgx-h100"));
  for (Collective collective : {Collective::broadcast, Collective::reduce}) {
    PackingProblem problem{&rankTopology, collective, 0};
    std::vector<Tree> binary = grow(problem, {2, 450. / 2, 2}, 4);
    CHECK(mostChildren(binary, 8) == 2);
    CHECK(depthOf(binary, 8) == 3); // 1 + 2 + 4 ranks below the root
    std::vector<Tree> flat = grow(problem, {7, 450. / 7, 8}, 4);
    CHECK(depthOf(flat, 8) == 2);
  }
}

TEST_CASE("lowering keeps weights, and loads within bandwidths") {
  RankTopology rankTopology = rankTopologyOf(shippedTopology("dgx-a100"));
  PackingProblem problem{&rankTopology, Collective::broadcast, 3};
  const PathTable table = shortestPaths(rankTopology);
  // Chains from GPU 3, each rotated by one, that leave a link unused.
  std::vector<Tree> trees;
  for (int first = 0; first < 7; ++first) {
    Tree tree;
    tree.root = 3;
    tree.weight = 300. / 7;
    for (int step = 0, from = 3; step < 7; ++step) {
      const int to = (4 + (first + step) % 7) % 8;
      tree.down.push_back({from, to, table.path(from, to)});
      from = to;
    }
    trees.push_back(std::move(tree));
  }
  CHECK(!problem.verify({trees, 300}));
  CHECK(depthOf(trees, 8) == 7);
  for (int children : {1, 2, 7}) {
    CAPTURE(children);
    std::vector<Tree> lowered = trees;
    lowerTrees(problem, table, lowered, children);
    CHECK(!problem.verify({lowered, 300}));
    CHECK(mostChildren(lowered, 8) <= children);
    CHECK(depthOf(lowered, 8) <= (children == 1 ? 7 : 4));
    for (const Tree &tree : lowered)
      CHECK(tree.weight == 300. / 7);
  }
}

TEST_CASE("forests over many boxes have few low trees at the full rate") {
  struct Case {
    Topology machine;
    double rate;
    int depth, mostTrees;
  };
  const Case cases[] = {
      {valueOf(generatePod(shippedTopology("dgx-h100"), 4, 8, {50, 2})), 400, 6,
       16},
      {valueOf(generatePod(shippedTopology("dgx-a100"), 2, 8, {25, 2})), 200, 4,
       16},
      {valueOf(generateTorus({4, 4}, {50, 1})), 200, 5, 16},
      {valueOf(generateTorus({4, 4}, {50, 1})), 200, 5, 8}};
  for (const Case &each : cases)
    for (Collective collective : {Collective::broadcast, Collective::reduce})
      for (int root : {0, 5}) {
        CAPTURE(each.machine.name);
        RankTopology rankTopology = rankTopologyOf(each.machine);
        PackingProblem problem{&rankTopology, collective, root};
        std::vector<Packing> forests =
            growForests(problem, each.rate, 16, each.mostTrees);
        REQUIRE(!forests.empty());
        int least = rankTopology.numRanks();
        for (const Packing &forest : forests) {
          CHECK(!problem.verify(forest));
          CHECK(forest.algbw == doctest::Approx(each.rate).epsilon(1e-12));
          CHECK(int(forest.trees.size()) <= each.mostTrees);
          least =
              std::min(least, depthOf(forest.trees, rankTopology.numRanks()));
        }
        CHECK(least <= each.depth);
        CHECK(growForests(problem, each.rate * 1.01, 16, 0).empty());
      }
}
