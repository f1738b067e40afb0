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
  PackedTrees packed; ///< its bound is of these parentheses only
};

/// The most ranks for which trees are packed anew for an order.
inline constexpr int kMostOrderedRanks = 64;

/// Returns the optimum among trees that all add in one order. `any` is the
/// optimum of `problem`, which has no association. If all its trees make their
/// sums at their roots, as on machines where a switch joins all GPUs, they are
/// kept, because a root may add in any order. Otherwise trees are packed anew.
/// `rank` uses `chain`; `invariant` uses the fastest of all Parentheses, and
/// `chain` on a tie. Errors: a collective that adds nothing; relays, phases or
/// limited peers; more than kMostOrderedRanks ranks whose trees would be packed
/// anew; those of packTrees.
llvm::Expected<OrderedPacking> packInOrder(const PackingProblem &problem,
                                           const PackedTrees &any,
                                           ReductionOrder order,
                                           const SolveWatcher &watcher);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_ORDER_PACKINORDER_H
