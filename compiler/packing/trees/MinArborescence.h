//===- MinArborescence.h - cheapest spanning arborescence -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_TREES_MINARBORESCENCE_H
#define BLINK_COMPILER_PACKING_TREES_MINARBORESCENCE_H

#include <vector>

namespace blink {

/// Costs of the edges between the vertices 0..n-1 of a complete digraph,
/// [from * n + to]; infinity where there is no edge, the diagonal is not read.
using CostMatrix = std::vector<double>;

/// An arborescence as the parent of each vertex, -1 for the root; empty when
/// none exists.
using Parents = std::vector<int>;

/// The spanning arborescence of least cost out of `root` (Chu and Liu 1965,
/// Edmonds 1967; in the dense form of Tarjan 1977, O(n^2) time and memory).
/// Costs are >= 0. Of several the choice is deterministic.
///
/// The cheapest in-tree to `root` is the same on the transposed matrix: a
/// vertex then sends to its parent.
Parents minArborescence(const CostMatrix &costs, int n, int root);

/// Sum of the edges' costs; infinity for no arborescence (and n > 0).
double costOf(const CostMatrix &costs, const Parents &parents);

CostMatrix transposed(const CostMatrix &costs, int n);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_TREES_MINARBORESCENCE_H
