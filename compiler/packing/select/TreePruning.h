//===- TreePruning.h - drop trees one by one --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_SELECT_TREEPRUNING_H
#define BLINK_COMPILER_PACKING_SELECT_TREEPRUNING_H

#include "compiler/packing/lp/MasterLp.h"

#include <functional>

namespace blink {

/// A choice of columns, with weights.
struct PrunedColumns {
  std::vector<double> weights; ///< one a column of the pool; 0: not chosen
  double rate = 0;             ///< of the LP over them, GB/s
};

/// Starts from the optimal LP over `columns` of `pool`, keeps its support, and
/// drops columns, the lightest first, as long as the LP over the rest reaches
/// `target`: many at a time at first, one by one in the end, when no single one
/// can go. While more than `maxTrees` (0: no limit) are left, columns go below
/// the target, too, the one that costs least each time. When `keepGoing` says
/// no, what is left is the result. Errors: GLPK failed.
llvm::Expected<PrunedColumns>
pruneColumns(const ColumnPool &pool, const std::vector<int> &columns,
             double target, int maxTrees,
             const std::function<bool()> &keepGoing = nullptr);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_SELECT_TREEPRUNING_H
