//===- FitWeights.h - from a solver's weights to a packing ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_LP_FITWEIGHTS_H
#define BLINK_COMPILER_PACKING_LP_FITWEIGHTS_H

#include "compiler/packing/lp/ColumnPool.h"

namespace blink {

/// Makes a packing of trees whose weights a solver found to within its
/// tolerances. Drops trees of (nearly) no weight, merges equal ones, gives the
/// roots of an allgather, reducescatter or alltoall equal amounts, and then
/// scales all weights by one factor so that the fullest link is exactly full.
/// The rate of the result is 0 if a root that needs a tree has none.
Packing fitWeights(const PackingProblem &problem, std::vector<Tree> trees);

/// The same for the columns of a pool and the trees they stand for; over many
/// ranks the result is in symmetric form (Packing::symmetry). Trees are sorted
/// by root, and trees of one root by the content of their column's tree.
Packing fitColumns(const ColumnPool &pool, const std::vector<double> &weights);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_LP_FITWEIGHTS_H
