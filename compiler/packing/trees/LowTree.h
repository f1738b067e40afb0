//===- LowTree.h - a cheap arborescence of bounded depth --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_TREES_LOWTREE_H
#define BLINK_COMPILER_PACKING_TREES_LOWTREE_H

#include "compiler/packing/trees/MinArborescence.h"

namespace blink {

/// A cheap spanning arborescence out of `root` with no vertex deeper than
/// `maxDepth`; empty when there is none. The problem is NP-hard (it holds
/// Steiner trees for depth 2 already), so this is a heuristic: of two trees,
/// one grown from the root by the cheapest edge out of a vertex that is not too
/// deep, one with every vertex as near to the root as can be, each improved by
/// hanging vertices elsewhere as long as that is cheaper, the cheaper one. Of
/// equal edges the higher up is taken. Time with the edges, but for a logarithm
/// and improvements. `into` is `costs`, reversed.
Parents lowTree(const CostGraph &costs, const CostGraph &into, int root,
                int maxDepth);
inline Parents lowTree(const CostMatrix &costs, int n, int root, int maxDepth) {
  const CostGraph graph(costs, n);
  return lowTree(graph, graph.reversed(), root, maxDepth);
}

/// The least depth of a tree from `root` that reaches every vertex there is a
/// way to, hops counted.
int eccentricity(const CostGraph &costs, int root);

/// The vertices in breadth-first order from the root.
std::vector<int> breadthFirst(const Parents &parents, int root);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_TREES_LOWTREE_H
