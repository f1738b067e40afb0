//===- SymmetricFolds.h - representatives do all folds ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_SYMMETRICFOLDS_H
#define BLINK_COMPILER_PLAN_SYMMETRICFOLDS_H

#include "compiler/plan/FoldProgram.h"

namespace blink {

/// Brings `program`, which has the trees of representatives alone and the loose
/// folds of all ranks in them, into symmetric form (FoldProgram::symmetry):
/// each fold becomes the image of it that its rank's representative has. Those
/// of a representative then stand in the order of what they have in full: by
/// block and root of the tree's image.
void makeSymmetric(FoldProgram &program,
                   std::shared_ptr<const Symmetry> symmetry);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_SYMMETRICFOLDS_H
