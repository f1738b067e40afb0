//===- LowTree.h - a cheap arborescence of bounded depth --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_TREES_LOWTREE_H
#define BLINK_COMPILER_PACKING_TREES_LOWTREE_H

#include "compiler/packing/trees/MinArborescence.h"

namespace blink {

/// Returns a cheap spanning arborescence out of `root` with no vertex deeper
/// than `maxDepth`; empty if there is none. The problem is NP-hard (depth 2
/// already contains Steiner trees), so this is a heuristic. It builds two
/// trees: one grown from the root by the cheapest edge out of a vertex that is
/// not too deep, and one with every vertex as near to the root as possible.
/// Each is improved by moving vertices to other parents as long as that is
/// cheaper, and the cheaper tree is returned. On a tie between edges, the one
/// nearer to the root is taken. Takes time proportional to the edges, apart
/// from a logarithmic factor and the improvements. `into` is `costs` reversed.
Parents lowTree(const CostGraph &costs, const CostGraph &into, int root,
                int maxDepth);
inline Parents lowTree(const CostMatrix &costs, int n, int root, int maxDepth) {
  const CostGraph graph(costs, n);
  return lowTree(graph, graph.reversed(), root, maxDepth);
}

/// Returns the least depth, in hops, of a tree from `root` that reaches every
/// vertex that can be reached.
int eccentricity(const CostGraph &costs, int root);

/// Returns the vertices in breadth-first order from the root.
std::vector<int> breadthFirst(const Parents &parents, int root);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_TREES_LOWTREE_H
