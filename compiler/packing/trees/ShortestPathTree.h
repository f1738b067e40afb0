//===- ShortestPathTree.h - cheapest chains from one root -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_TREES_SHORTESTPATHTREE_H
#define BLINK_COMPILER_PACKING_TREES_SHORTESTPATHTREE_H

#include "compiler/packing/trees/MinArborescence.h"

namespace blink {

/// Returns the cheapest chain from `root` to each other vertex, as one
/// arborescence; on a tie, the chain of fewer hops (Dijkstra 1959). Empty if
/// some vertex cannot be reached. Costs are >= 0.
Parents shortestPathTree(const CostGraph &costs, int root);

/// Returns cheap chains of at most `maxDepth` hops: shortest paths after adding
/// to the cost of every hop an extra just large enough. This is a heuristic;
/// the result is empty if even the largest extra tried leaves too many hops.
Parents lowShortestPathTree(const CostGraph &costs, int root, int maxDepth);

/// Returns the sum over the vertices of the cost of the chain from `root`;
/// infinity if `parents` is empty.
double sumOfDistances(const CostGraph &costs, const Parents &parents, int root);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_TREES_SHORTESTPATHTREE_H
