//===- GoldenDiff.h - what changed since the golden summary -----*- C++ -*-===//
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

/// Relative changes up to these are neither worse nor better, only different.
struct CheckTolerance {
  double rate = 0.001;
  double time = 0.01; ///< of predicted times
};

/// The program that serves a job today: a collective on `gpus`, in ascending
/// order, with a root among them. Null if there is none.
using ServingProgram = llvm::function_ref<const GoldenProgram *(
    Collective collective, std::optional<int> root,
    const std::vector<int> &gpus)>;

/// Compares two golden summaries of a machine and returns what changed, most
/// important first. What each program of `before` was for is looked up by
/// `serving` among the programs of `after`: a class may have become part of
/// another one.
///
/// A lower rate and a longer time beyond the tolerance are worse, as is a
/// program that is gone; a higher rate and a shorter time are better. All else
/// is different: bounds, which are the machine's; depth and trees, whose price
/// is in the times; the classes and the bytes of the bundle.
std::vector<Finding> diffGolden(const Golden &before, const Golden &after,
                                ServingProgram serving,
                                const CheckTolerance &tolerance);

} // namespace blink

#endif // BLINK_COMPILER_CHECK_GOLDENDIFF_H
