//===- LowerTrees.h - lower trees of the same weights -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_LOWERTREES_H
#define BLINK_COMPILER_PACKING_GROW_LOWERTREES_H

#include "compiler/packing/Packing.h"

namespace blink {

/// Makes trees of a broadcast or reduce lower by small steps, as long as a step
/// helps. In a step, a rank moves to another parent if links have room for it,
/// or two trees of one weight swap the edges by which they reach a rank, which
/// leaves all loads as they are. If the trees kept to the bandwidths before,
/// they keep to them afterwards; weights do not change. The first goal is that
/// no rank has more than `mostChildren` children in a tree, the second is low
/// depth, for which a rank at depth d counts 3^d. This is a local search,
/// because finding the lowest trees is NP-hard. `table` has the paths to use.
void lowerTrees(const PackingProblem &problem, const PathTable &table,
                std::vector<Tree> &trees, int mostChildren);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_LOWERTREES_H
