//===- SymmetricLanes.h - ranks that are alike do the same ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// If a renaming of the machine maps the trees of a program to its trees, then
// all ranks of an orbit do the same under other names, provided that their
// lanes match. A file then needs to say it only once (Variant.symmetric in
// schedule.fbs).
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_SYMMETRICLANES_H
#define BLINK_COMPILER_PLAN_SYMMETRICLANES_H

#include "compiler/plan/FoldProgram.h"
#include "compiler/topology/symmetry/Symmetry.h"

namespace blink {

/// Gives each rank of `program`, which has lanes, the images of its
/// representative's lanes. Returns false and leaves `program` as it is if the
/// folds of some rank are not the images of its representative's; trees are
/// images of trees in the order that schedule.fbs states. Takes O(folds x log
/// trees) time.
bool shareLanes(FoldProgram &program, const Symmetry &symmetry);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_SYMMETRICLANES_H
