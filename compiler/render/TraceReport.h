//===- TraceReport.h - reports on two traces --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_RENDER_TRACEREPORT_H
#define BLINK_COMPILER_RENDER_TRACEREPORT_H

#include "compiler/report/TraceDiff.h"

namespace blink {

/// Formats a table of sums, and one of the `lines` steps that changed most.
std::string toText(const TraceDiff &diff, size_t lines);
/// Formats all steps.
std::string toJson(const TraceDiff &diff);

} // namespace blink

#endif // BLINK_COMPILER_RENDER_TRACEREPORT_H
