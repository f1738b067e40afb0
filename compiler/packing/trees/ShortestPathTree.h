//===- ShortestPathTree.h - cheapest chains from one root -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_TREES_SHORTESTPATHTREE_H
#define BLINK_COMPILER_PACKING_TREES_SHORTESTPATHTREE_H

#include "compiler/packing/trees/MinArborescence.h"

namespace blink {

/// The cheapest chain from `root` to each other vertex, as one arborescence;
/// of equal ones those of fewer hops (Dijkstra 1959). Empty when some vertex
/// cannot be reached. Costs are >= 0.
Parents shortestPathTree(const CostGraph &costs, int root);

/// Cheap chains of at most `maxDepth` hops: shortest paths when every hop costs
/// something extra, as little as is enough. A heuristic; empty when even the
/// fewest hops are too many.
Parents lowShortestPathTree(const CostGraph &costs, int root, int maxDepth);

/// Sum over the vertices of what the chain from `root` costs; infinity for no
/// arborescence.
double sumOfDistances(const CostGraph &costs, const Parents &parents, int root);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_TREES_SHORTESTPATHTREE_H
