//===- RootedTree.cpp - a tree by its ranks' parents ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/RootedTree.h"

#include "compiler/packing/trees/LowTree.h"

#include <algorithm>

using namespace blink;

std::vector<int> RootedTree::order() const {
  auto root = std::find(parents.begin(), parents.end(), -1);
  return breadthFirst(parents, static_cast<int>(root - parents.begin()));
}

RootedTree blink::rootedTree(const Tree &tree, int numRanks) {
  RootedTree rooted{std::vector<int>(numRanks, -1),
                    std::vector<Path>(numRanks)};
  for (const TreeEdge &edge : tree.up) {
    rooted.parents[edge.from] = edge.to;
    rooted.paths[edge.from] = edge.path;
  }
  for (const TreeEdge &edge : tree.down) {
    rooted.parents[edge.to] = edge.from;
    rooted.paths[edge.to] = edge.path;
  }
  return rooted;
}

Tree blink::treeOf(const PackingProblem &problem, const RootedTree &tree,
                   double weight) {
  Tree result;
  result.root = problem.root;
  result.weight = weight;
  const bool up = hasUpTrees(problem.collective);
  for (int rank : tree.order()) {
    const int parent = tree.parents[rank];
    if (parent < 0)
      continue;
    if (up)
      result.up.push_back({rank, parent, tree.paths[rank]});
    else
      result.down.push_back({parent, rank, tree.paths[rank]});
  }
  std::reverse(result.up.begin(), result.up.end());
  return result;
}
