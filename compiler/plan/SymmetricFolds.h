//===- SymmetricFolds.h - folds of representatives alone --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_SYMMETRICFOLDS_H
#define BLINK_COMPILER_PLAN_SYMMETRICFOLDS_H

#include "compiler/plan/FoldProgram.h"

namespace blink {

/// Brings `program`, which has the trees of representatives alone and the loose
/// folds of all ranks in them, into symmetric form (FoldProgram::symmetry).
/// Each fold is replaced by its image on its rank's representative. A
/// representative's folds then stand in the order that they have in full: by
/// block and root of the tree's image.
void makeSymmetric(FoldProgram &program,
                   std::shared_ptr<const Symmetry> symmetry);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_SYMMETRICFOLDS_H
