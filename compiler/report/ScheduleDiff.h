//===- ScheduleDiff.h - what changed between two schedules ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Compares two schedule files: the machine, the programs, how they were made.
// Better is what a job would notice: a higher rate, less latency, fewer lanes
// and channels. A program that is gone is worse. Machines, links, bounds and
// the rest are only different.
//
//     llvm::ArrayRef<uint8_t> a = ..., b = ...;   // the bytes of both files
//     ScheduleDiff diff = diffSchedules({openedA, a}, {openedB, b});
//     for (const Finding &finding : diff.findings) ...
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_SCHEDULEDIFF_H
#define BLINK_COMPILER_REPORT_SCHEDULEDIFF_H

#include "compiler/report/ProgramDiff.h"

namespace blink {

/// A file that sched::openSchedule has accepted, and the bytes it is in.
struct OpenedFile {
  const sched::Schedule *schedule;
  llvm::ArrayRef<uint8_t> bytes;

  /// That of the trailer, which openSchedule has checked.
  uint64_t checksum() const;
};

struct ScheduleDiff {
  bool identical = false;   ///< the same bytes
  bool sameContent = false; ///< same machine and programs, made as they may
  std::vector<Finding> findings; ///< most important first; none when identical

  size_t count(Severity severity) const;
};

/// Programs are matched by collective, root, allocation and relays. Takes time
/// n log n in the programs, and linear in the size of those that differ.
ScheduleDiff diffSchedules(const OpenedFile &before, const OpenedFile &after,
                           const DiffOptions &options = {});

} // namespace blink

#endif // BLINK_COMPILER_REPORT_SCHEDULEDIFF_H
