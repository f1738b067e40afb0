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

/// A choice of columns with their weights.
struct PrunedColumns {
  std::vector<double> weights; ///< one per column of the pool; 0: not chosen
  double rate = 0;             ///< of the LP over them, GB/s
};

/// Starts from the optimal LP over `columns` of `pool`, keeps its support, and
/// drops columns, the lightest first, as long as the LP over the rest reaches
/// `target`. It begins by dropping many at once and ends with single columns,
/// when none of them can be dropped any more. If more than `maxTrees` trees (0:
/// no limit) remain, it goes on below the target and each time drops the column
/// whose loss costs least. If `keepGoing` returns false, the columns left at
/// that point are the result, apart from the limit on trees. Errors: GLPK
/// failed.
llvm::Expected<PrunedColumns>
pruneColumns(const ColumnPool &pool, const std::vector<int> &columns,
             double target, int maxTrees,
             const std::function<bool()> &keepGoing = nullptr);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_SELECT_TREEPRUNING_H
