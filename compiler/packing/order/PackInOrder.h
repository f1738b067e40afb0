//===- PackInOrder.h - the best trees that add in one order -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_ORDER_PACKINORDER_H
#define BLINK_COMPILER_PACKING_ORDER_PACKINORDER_H

#include "compiler/packing/PackTrees.h"

namespace blink {

struct OrderedPacking {
  Parentheses parentheses;
  PackedTrees packed; ///< its certificate bounds trees of these parentheses
};

/// Most ranks of which trees are packed anew for an order.
inline constexpr int kMostOrderedRanks = 64;

/// The optimum among trees that all add in one order. `any` is the optimum of
/// `problem`, which has no association. Where its trees make their sums at
/// their roots, as those of machines do where a switch joins all, they stay,
/// for a root may add in any order; others are packed anew. `rank` is `chain`,
/// `invariant` the faster of all Parentheses, `chain` where they are equal.
/// Errors: a collective that adds nothing; relays, phases, limited peers; more
/// than kMostOrderedRanks ranks whose trees would be packed anew; those of
/// packTrees.
llvm::Expected<OrderedPacking> packInOrder(const PackingProblem &problem,
                                           const PackedTrees &any,
                                           ReductionOrder order,
                                           const SolveWatcher &watcher);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_ORDER_PACKINORDER_H
