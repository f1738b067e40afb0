//===- IntegerProgram.h - few trees of one weight ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_SELECT_INTEGERPROGRAM_H
#define BLINK_COMPILER_PACKING_SELECT_INTEGERPROGRAM_H

#include "compiler/packing/lp/ColumnPool.h"

#include "llvm/Support/Error.h"

namespace blink {

/// The integer program of the Blink paper as a yes-or-no question: do `copies`
/// trees of equal weight (that many for every root if each root has a block)
/// reach `rate`? Each tree then weighs u = rate / (blocks * copies). With
/// integers n_t >= 0, the number of times that tree t is taken:
///
///   minimise  sum_t depth(t) * n_t
///   link l    sum_t uses(t, l) * n_t <= floor(bandwidth(l) / u)
///   block b   sum_{t of b} n_t >= copies
///
/// over `columns` of `pool`, whose problem is a plain one. Returns n_t for each
/// of `columns`, or an empty vector for no. GLPK's branch and bound stops at
/// the first solution and gives up after `maxNodes` nodes, which also counts as
/// no: the answer is the same on every machine. Errors: GLPK failed.
llvm::Expected<std::vector<int>> uniformTrees(const ColumnPool &pool,
                                              const std::vector<int> &columns,
                                              int copies, double rate,
                                              int maxNodes);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_SELECT_INTEGERPROGRAM_H
