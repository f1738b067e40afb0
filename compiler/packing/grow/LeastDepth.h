//===- LeastDepth.h - lower bound on the depth of trees ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_LEASTDEPTH_H
#define BLINK_COMPILER_PACKING_GROW_LEASTDEPTH_H

#include "compiler/packing/grow/GrowTrees.h"

namespace blink {

/// Returns a lower bound on the depth of the deepest requested tree if no rank
/// has more than `mostChildren` children in a tree. The root needs at least one
/// edge in each of the other trees, and no rank can have more edges than its
/// links have room for. Returns the number of ranks if links have too little
/// room for any such trees. `room`: of roomOf (RootedCut.h) for the request's
/// unit.
int leastDepth(const PackingProblem &problem, const GrowRequest &request,
               const std::vector<int> &room);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_LEASTDEPTH_H
