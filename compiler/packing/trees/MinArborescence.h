//===- MinArborescence.h - cheapest spanning arborescence -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_TREES_MINARBORESCENCE_H
#define BLINK_COMPILER_PACKING_TREES_MINARBORESCENCE_H

#include "compiler/packing/trees/CostGraph.h"

namespace blink {

/// Returns the spanning arborescence of least cost out of `root` (Chu and Liu
/// 1965, Edmonds 1967; in the dense form of Tarjan 1977, O(n^2) time and
/// memory). Costs are >= 0. If there are several such trees, the choice is
/// deterministic.
Parents minArborescence(const CostMatrix &costs, int n, int root);

/// The same for a graph that lists edges by the vertex that they enter, that
/// is, for a graph reversed(). For a graph that lists them by the vertex that
/// they leave, this is the cheapest in-tree to `root`, where a vertex sends to
/// its parent. Uses sparseArborescence if there are many vertices.
Parents minArborescence(const CostGraph &into, int root);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_TREES_MINARBORESCENCE_H
