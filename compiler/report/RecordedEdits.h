//===- RecordedEdits.h - the links a schedule's machine lacks ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_RECORDEDEDITS_H
#define BLINK_COMPILER_REPORT_RECORDEDEDITS_H

#include "compiler/topology/DegradeLinks.h"

namespace blink {

/// Returns the links that were removed from the machine, or limited, before
/// `file` was compiled, as its settings record them and in their order. Leaves
/// out edits that the machine in the file contradicts: settings are a note that
/// nothing else checks.
std::vector<LinkEdit> recordedEdits(const sched::Schedule &file);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_RECORDEDEDITS_H
