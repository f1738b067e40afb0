//===- SpanningCost.h - what trees of many ranks cost at least --*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_LP_SPANNINGCOST_H
#define BLINK_COMPILER_PACKING_LP_SPANNINGCOST_H

#include "compiler/topology/symmetry/Symmetry.h"

namespace blink {

/// The cost of the cheapest tree that joins all ranks, where an edge between
/// two costs what the cheaper of the paths there and back does (Kruskal 1956):
/// no arborescence, of whatever root, costs less. Where all ranks are alike
/// (one representative), none costs more either: of ranks joined at some cost
/// each then reaches each other, so the tree can be directed away from any.
///
/// `ofRepresentatives`: the paths at prices that are the same on all links of a
/// class. An edge comes with its images, so time grows with representatives
/// times ranks, but for logarithms. Infinity where ranks are not joined.
double spanningCost(const Symmetry &symmetry,
                    const PathTable &ofRepresentatives);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_LP_SPANNINGCOST_H
