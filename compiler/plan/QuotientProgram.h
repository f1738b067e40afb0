//===- QuotientProgram.h - one rank for each orbit --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_QUOTIENTPROGRAM_H
#define BLINK_COMPILER_PLAN_QUOTIENTPROGRAM_H

#include "compiler/plan/FoldProgram.h"

namespace blink {

/// Returns a program in full that takes as long as `program`, which is in
/// symmetric form, and does the same: all ranks of an orbit do the same at the
/// same time, so one of them is enough, and it receives what it sends itself.
/// The links of an orbit become one link (Symmetry::linkClass), of which each
/// channel gets what its images together get of all of them. Trees, channels,
/// folds and lanes keep their indices.
FoldProgram quotientOf(const FoldProgram &program);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_QUOTIENTPROGRAM_H
