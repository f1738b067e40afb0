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

/// How results are added up, as far as they have been seen.
struct SumOrder {
  std::vector<uint32_t> first;      ///< of the first result; Values::order
  std::vector<uint32_t> firstFolds; ///< likewise, with the folds that add
  /// Whether all are added by the same folds: types of 8 and 16 bits are
  /// rounded where a value leaves one.
  bool sameFolds = true;
  /// Where a result is added up in another way; empty: nowhere.
  std::string difference;

  /// What is proved of all trees seen.
  sched::ReductionOrder proved(uint32_t numRanks) const;
};

/// Runs one chunk of each tree on symbols instead of numbers; every chunk of a
/// tree runs the same way. A value is a rank's contribution or a reduction of
/// values in the order the fold lists them, nesting kept, and equal values have
/// equal numbers. Then, in every tree and on every rank that gets the result:
///   - its part of the output is written by folds of blocks' own trees, once,
///     or again by folds that add to it;
///   - a copied result is the right rank's input, and nothing was reduced;
///   - a reduced result holds the contribution of every rank exactly once, is
///     the same expression on all ranks (so that rounding is the same, bit for
///     bit), and passed exactly one `completes` fold, last of all reductions;
///   - where an output is read back, its write comes first.
/// No other output is written. Linear in the variant, but for sorting.
///
/// Whether all folds do run is checkProgress's question.
///
/// `sums`, where it is not null, notes of each tree how its result is added up.
Failure checkResult(const Semantics &semantics, const FoldGraph &graph,
                    SumOrder *sums = nullptr);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_SYMBOLICEXECUTION_H
