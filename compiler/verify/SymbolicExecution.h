//===- SymbolicExecution.h - does the schedule compute it? ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_SYMBOLICEXECUTION_H
#define BLINK_COMPILER_VERIFY_SYMBOLICEXECUTION_H

#include "compiler/verify/FoldGraph.h"
#include "compiler/verify/Semantics.h"

namespace blink::verify {

/// How the results of all trees so far are added up.
struct SumOrder {
  std::vector<uint32_t> first;      ///< Values::order of the first result
  std::vector<uint32_t> firstFolds; ///< the same with the folds that add
  /// Whether the same folds add up all results. It matters for types of 8 and
  /// 16 bits, which are rounded whenever a value leaves a fold.
  bool sameFolds = true;
  /// Where a result is added up in another order; empty: nowhere.
  std::string difference;

  /// Returns the order that is proved for all trees so far.
  sched::ReductionOrder proved(uint32_t numRanks) const;
};

/// Runs one chunk of each tree on symbols instead of numbers; every chunk of a
/// tree runs the same way. A value is a rank's contribution, or a reduction of
/// values in the order in which the fold lists them, nesting kept. Equal values
/// have equal numbers. Checks in every tree, on every rank that receives the
/// result:
///   - its part of the output is written by folds of blocks' own trees, once,
///     or again by folds that add to it;
///   - a copied result is the right rank's input, and nothing was reduced;
///   - a reduced result holds the contribution of every rank exactly once, is
///     the same expression on all ranks (so that rounding is the same, bit for
///     bit), and passed exactly one `completes` fold, last of all reductions;
///   - an output that is read back is written before.
/// No other output is written. Linear in the variant except for sorting.
///
/// Whether all folds run at all is the question of checkProgress.
///
/// `sums`, unless null, records for each tree how its result is added up.
Failure checkResult(const Semantics &semantics, const FoldGraph &graph,
                    SumOrder *sums = nullptr);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_SYMBOLICEXECUTION_H
