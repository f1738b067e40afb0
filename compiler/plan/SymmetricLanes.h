//===- SymmetricLanes.h - ranks that are alike do alike ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Where a renaming of the machine takes the trees of a program to trees of it,
// all that ranks do is the same but for names, if lanes are. Then a file need
// say it once (Variant.symmetric in schedule.fbs).
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_SYMMETRICLANES_H
#define BLINK_COMPILER_PLAN_SYMMETRICLANES_H

#include "compiler/plan/FoldProgram.h"
#include "compiler/topology/symmetry/Symmetry.h"

namespace blink {

/// Gives each rank of `program`, which is in lanes, the images of those of its
/// representative, if folds are images of folds; trees are, in the order that
/// schedule.fbs names. Else false, and `program` stays as it is. Takes time in
/// the number of folds, times the logarithm of that of trees.
bool shareLanes(FoldProgram &program, const Symmetry &symmetry);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_SYMMETRICLANES_H
