//===- MultiplicativeWeights.h - a first set of trees -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_MULTIPLICATIVEWEIGHTS_H
#define BLINK_COMPILER_PACKING_MULTIPLICATIVEWEIGHTS_H

#include "compiler/packing/ColumnPool.h"
#include "compiler/packing/TreePricer.h"

namespace blink {

/// Packs trees approximately by multiplicative weights (Garg and Koenemann
/// 1998, the packer of the Blink paper) with a few rounds and long steps: in a
/// round every root sends along its cheapest low tree, then the price of each
/// link grows with its load. Adds the trees to `pool` and returns a rate that
/// they reach, in GB/s (> 0 when every root has a tree). The trees start column
/// generation well; the optimum is its business.
double packApproximately(const PackingProblem &problem, TreePricer &pricer,
                         int maxDepth, ColumnPool &pool);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_MULTIPLICATIVEWEIGHTS_H
