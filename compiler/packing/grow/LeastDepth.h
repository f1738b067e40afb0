//===- LeastDepth.h - how low trees of one root can be ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_LEASTDEPTH_H
#define BLINK_COMPILER_PACKING_GROW_LEASTDEPTH_H

#include "compiler/packing/grow/GrowTrees.h"

namespace blink {

/// None of the trees asked for is lower than this, if no rank has more children
/// in a tree than it should: the root has some in each of the others, too, and
/// no rank more than its links have room for.
int leastDepth(const PackingProblem &problem, const GrowRequest &request);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_LEASTDEPTH_H
