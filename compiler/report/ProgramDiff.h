//===- ProgramDiff.h - what changed in a program's numbers ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Works on summaries alone, wherever they are from.
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

/// Rates, bounds and times within this, relative, are one number: `blinkc
/// verify` takes them for one.
inline constexpr double kSameNumber = 1e-9;

/// Compares the numbers of two programs with the same key and appends what
/// changed to `findings`. Variants are matched in order, or, where one side has
/// more of them, by the size at which they end; those of one side only are
/// compared, in time, with what serves their sizes on the other.
void diffSummaries(const Summary &before, const Summary &after,
                   const DiffOptions &options, std::vector<Finding> &findings);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_PROGRAMDIFF_H
