//===- TreePruning.h - drop trees one by one --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_TREEPRUNING_H
#define BLINK_COMPILER_PACKING_TREEPRUNING_H

#include "compiler/packing/MasterLp.h"

namespace blink {

/// A choice of columns, with weights.
struct PrunedTrees {
  std::vector<Tree> trees;
  double rate = 0; ///< of the LP over them, GB/s
};

/// Starts from the optimal LP over `columns` of `pool`, keeps its support, and
/// drops one tree after the other, the lightest first, as long as the LP over
/// the rest reaches `target`: in the end no single tree can go. While more than
/// `maxTrees` (0: no limit) are left, trees go below the target, too, the one
/// that costs least each time. Errors: GLPK failed.
llvm::Expected<PrunedTrees> pruneTrees(const PackingProblem &problem,
                                       const ColumnPool &pool,
                                       const std::vector<int> &columns,
                                       double target, int maxTrees);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_TREEPRUNING_H
