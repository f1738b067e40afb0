//===- RecordedEdits.h - the links a schedule's machine lacks ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_RECORDEDEDITS_H
#define BLINK_COMPILER_REPORT_RECORDEDEDITS_H

#include "compiler/topology/DegradeLinks.h"

namespace blink {

/// The links that were taken away from the machine, or limited, before `file`
/// was compiled: what its settings record, in their order. Only what the
/// machine in the file bears out: settings are a note that nothing else checks.
std::vector<LinkEdit> recordedEdits(const sched::Schedule &file);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_RECORDEDEDITS_H
