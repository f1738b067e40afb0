//===- MachineDiff.h - what changed in a machine ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_MACHINEDIFF_H
#define BLINK_COMPILER_REPORT_MACHINEDIFF_H

#include "compiler/report/Finding.h"

namespace blink {

/// Compares two topologies that have passed sched::openSchedule and appends
/// what changed: nodes are matched by name, links by their ends and kind.
/// Returns whether nodes and links are the same with the same numbers; if so,
/// parts of programs that refer to them by index can be compared directly.
bool diffMachines(const sched::Topology &before, const sched::Topology &after,
                  std::vector<Finding> &findings);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_MACHINEDIFF_H
