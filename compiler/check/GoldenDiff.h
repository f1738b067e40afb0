//===- GoldenDiff.h - changes since a golden summary ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_CHECK_GOLDENDIFF_H
#define BLINK_COMPILER_CHECK_GOLDENDIFF_H

#include "compiler/check/Golden.h"
#include "compiler/report/Finding.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace blink {

/// Relative changes up to these count as neither worse nor better, only as
/// different.
struct CheckTolerance {
  double rate = 0.001;
  double time = 0.01; ///< The tolerance of predicted times.
};

/// Returns the program that serves a job today: a collective on `gpus`,
/// ascending, with a root among them. Returns null if there is none.
using ServingProgram = llvm::function_ref<const GoldenProgram *(
    Collective collective, std::optional<int> root,
    const std::vector<int> &gpus)>;

/// Compares two golden summaries of a machine and returns the changes, most
/// important first. `serving` finds the program of `after` that serves the job
/// of each program of `before`: a class may have become part of another one.
///
/// A lower rate and a longer time beyond the tolerance are worse, as is a
/// missing program; a higher rate and a shorter time are better. All other
/// changes are different: bounds, which depend on the machine only; depth and
/// trees, whose cost is in the times; the classes and the bytes of the bundle.
std::vector<Finding> diffGolden(const Golden &before, const Golden &after,
                                ServingProgram serving,
                                const CheckTolerance &tolerance);

} // namespace blink

#endif // BLINK_COMPILER_CHECK_GOLDENDIFF_H
