//===- ProgramDiff.h - what changed in a program's numbers ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Works on summaries alone, whatever their source.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_PROGRAMDIFF_H
#define BLINK_COMPILER_REPORT_PROGRAMDIFF_H

#include "compiler/report/Finding.h"

namespace blink {

struct DiffOptions {
  /// A rate that changed by no more than this, relative, is neither worse nor
  /// better, only different.
  double tolerance = 0;
};

/// Rates, bounds and times that differ by no more than this, relative, count as
/// equal, as in `blinkc verify`.
inline constexpr double kSameNumber = 1e-9;

/// Compares the numbers of two programs with the same key and appends what
/// changed to `findings`. Variants are matched in order if both sides have as
/// many, else by the size at which they end. The times of a variant that only
/// one side has are compared with those of the variant that serves its sizes on
/// the other side.
void diffSummaries(const Summary &before, const Summary &after,
                   const DiffOptions &options, std::vector<Finding> &findings);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_PROGRAMDIFF_H
