//===- TreePruningTest.cpp --------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/select/TreePruning.h"
#include "compiler/generate/Generate.h"
#include "compiler/packing/lp/ColumnPool.h"
#include "test/unit/topology/TestTopology.h"

#include <set>

using namespace blink;
using namespace blink::test;

namespace {

constexpr int kRanks = 40, kMiddles = 4;

/// The trees of each root over one of the next ranks, which sends to the rest.
struct TwoLevels {
  RankTopology machine;
  PackingProblem problem;
  SymmetricProblem plain;
  ColumnPool pool;
  std::vector<int> columns;

  TwoLevels()
      : machine(rankTopologyOf(valueOf(generateFullyConnected(kRanks, {})))),
        problem{&machine, Collective::allgather, 0},
        plain(SymmetricProblem::plain(problem)), pool(plain) {
    const std::vector<double> ones(machine.topology().links.size(), 1);
    const PathTable paths = machine.cheapestPaths(ones);
    for (int root = 0; root < kRanks; ++root)
      for (int next = 1; next <= kMiddles; ++next) {
        const int middle = (root + next) % kRanks;
        Tree tree;
        tree.root = root;
        tree.down.push_back({root, middle, paths.path(root, middle)});
        for (int to = 0; to < kRanks; ++to)
          if (to != root && to != middle)
            tree.down.push_back({middle, to, paths.path(middle, to)});
        columns.push_back(pool.size());
        REQUIRE(pool.add(std::move(tree)));
      }
  }

  PrunedColumns prune(double target, int maxTrees) const {
    return valueOf(pruneColumns(pool, columns, target, maxTrees));
  }
  /// Returns the root of each tree that was chosen.
  std::multiset<int> rootsOf(const PrunedColumns &pruned) const {
    std::multiset<int> roots;
    for (int column : columns)
      if (pruned.weights[size_t(column)] > 0)
        roots.insert(pool.tree(column).root);
    return roots;
  }
};

} // namespace

TEST_CASE("of far too many trees each root keeps one") {
  const TwoLevels trees;
  const PrunedColumns all = trees.prune(/*target=*/1e4, /*maxTrees=*/0);
  REQUIRE(trees.rootsOf(all).size() > 64); // more than are tried one by one
  const double best = all.rate;
  for (int most : {100, 50, kRanks}) {
    CAPTURE(most);
    // No fewer trees reach the best rate, so only the limit drops any.
    const PrunedColumns pruned = trees.prune(2 * best, most);
    const std::multiset<int> roots = trees.rootsOf(pruned);
    CHECK(std::set<int>(roots.begin(), roots.end()).size() == size_t(kRanks));
    CHECK(roots.size() <= size_t(most));
    CHECK(pruned.rate >= 0.3 * best);
  }
}
