//===- LowerTrees.h - lower trees of the same weights -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_LOWERTREES_H
#define BLINK_COMPILER_PACKING_GROW_LOWERTREES_H

#include "compiler/packing/Packing.h"

namespace blink {

/// Makes trees of a broadcast or reduce lower by small steps, as long as there
/// is one that helps: a rank hangs below another one that links have room for,
/// or two trees of one weight swap the edges by which they reach a rank, which
/// leaves all loads as they are. Bandwidths that the trees keep to they keep to
/// after it, and weights stay. A rank should have no more than `mostChildren`
/// children in a tree; that comes first, then depth, where a rank counts 3 to
/// the power of its own. A local search; how low trees can be is NP-hard to
/// know. `table`: the paths to use.
void lowerTrees(const PackingProblem &problem, const PathTable &table,
                std::vector<Tree> &trees, int mostChildren);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_LOWERTREES_H
