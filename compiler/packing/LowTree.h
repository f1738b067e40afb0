//===- LowTree.h - a cheap arborescence of bounded depth --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_LOWTREE_H
#define BLINK_COMPILER_PACKING_LOWTREE_H

#include "compiler/packing/MinArborescence.h"

namespace blink {

/// A spanning arborescence out of `root` with no vertex more than `maxDepth`
/// edges away, grown greedily as Prim does: always the cheapest edge out of a
/// vertex that is not too deep; of equals from the shallowest one. A heuristic:
/// neither the cheapest such tree nor, on sparse graphs, sure to find one
/// (empty then). Low trees are what schedules want (latency), and columns made
/// of them let column generation converge in fewer rounds. O(n^2).
Parents lowTree(const CostMatrix &costs, int n, int root, int maxDepth);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_LOWTREE_H
