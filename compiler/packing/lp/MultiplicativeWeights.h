//===- MultiplicativeWeights.h - a first set of trees -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_LP_MULTIPLICATIVEWEIGHTS_H
#define BLINK_COMPILER_PACKING_LP_MULTIPLICATIVEWEIGHTS_H

#include "compiler/packing/lp/ColumnPool.h"
#include "compiler/packing/lp/TreePricer.h"

namespace blink {

/// The packer of the Blink paper, cut short. Starting from the pricer's prices,
/// each round takes a cheap low tree of each root and raises the prices of the
/// links that it uses in proportion to their load (Garg and Koenemann, 1998).
/// Puts the trees into `pool`, leaves the last prices in `pricer`, and returns
/// the rate that the trees reach together, in GB/s, which is a fair start for
/// an exact solver. Returns 0 if some root has no tree.
double packApproximately(const SymmetricProblem &problem, TreePricer &pricer,
                         int maxDepth, ColumnPool &pool);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_LP_MULTIPLICATIVEWEIGHTS_H
