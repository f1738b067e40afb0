//===- SpanningCost.h - a lower bound on trees of many ranks ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_LP_SPANNINGCOST_H
#define BLINK_COMPILER_PACKING_LP_SPANNINGCOST_H

#include "compiler/topology/symmetry/Symmetry.h"

namespace blink {

/// Returns the cost of the cheapest tree that joins all ranks, where an edge
/// between two ranks costs as much as the cheaper of the paths there and back
/// (Kruskal 1956). No arborescence costs less, whatever its root. If all ranks
/// are alike (one representative), some arborescence costs exactly this much:
/// ranks joined at some cost then reach each other both ways at that cost, so
/// the tree can be directed away from any root.
///
/// `ofRepresentatives` has the paths from representatives at prices that are
/// equal on all links of a class. An edge is taken together with its images, so
/// the time grows with representatives times ranks, apart from logarithms.
/// Returns infinity if some ranks are not joined.
double spanningCost(const Symmetry &symmetry,
                    const PathTable &ofRepresentatives);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_LP_SPANNINGCOST_H
