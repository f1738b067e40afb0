//===- ScheduleDiff.h - what changed between two schedules ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Compares two schedule files: the machine, the programs, and how they were
// made. Better is what a job would notice: a higher rate, lower latency, fewer
// lanes and channels. A missing program is worse. Changes of machines, links,
// bounds and everything else are only different.
//
//     llvm::ArrayRef<uint8_t> a = ..., b = ...;   // the bytes of both files
//     ScheduleDiff diff = diffSchedules(OpenedFile::of(*openedA, a),
//                                       OpenedFile::of(*openedB, b));
//     for (const Finding &finding : diff.findings) ...
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_SCHEDULEDIFF_H
#define BLINK_COMPILER_REPORT_SCHEDULEDIFF_H

#include "compiler/report/ProgramDiff.h"
#include "schedules/BundleFile.h"

namespace blink {

/// A schedule in a file; sched::openSchedule has accepted it.
struct OpenedPiece {
  const sched::Schedule *schedule;
  std::string condition = ""; ///< as in ProgramKey
};

/// An opened file and its bytes: a schedule, or a bundle with all its pieces.
struct OpenedFile {
  static OpenedFile of(const sched::Schedule &schedule,
                       llvm::ArrayRef<uint8_t> bytes);
  /// Errors: a piece that cannot be opened; a bundle without pieces.
  static llvm::Expected<OpenedFile> of(const sched::BundleView &bundle,
                                       llvm::ArrayRef<uint8_t> bytes);

  llvm::ArrayRef<uint8_t> bytes;
  std::vector<OpenedPiece> pieces;           ///< at least one
  const sched::Topology *topology = nullptr; ///< the whole machine
  const sched::Provenance *provenance = nullptr;
  /// Bundles only: each set of GPUs that the schedules serve, with the failed
  /// links it is served under; sorted.
  std::vector<std::pair<std::vector<int>, std::string>> served = {};

  bool isBundle() const { return !served.empty(); }
  LinkKindSet linkKinds() const {
    return LinkKindSet(pieces[0].schedule->link_kinds());
  }
  size_t numPrograms() const;
  /// Returns the checksum: of a schedule the one in its trailer, which
  /// openSchedule has checked; of a bundle one over all bytes.
  uint64_t checksum() const;
};

struct ScheduleDiff {
  bool identical = false;        ///< the same bytes
  bool sameContent = false;      ///< same machine and programs
  std::vector<Finding> findings; ///< most important first; none when identical

  size_t count(Severity severity) const;
};

/// Matches programs by collective, root, allocation and relays, and those of
/// bundles also by failed links; a class is compared by its representative's
/// programs. Takes time n log n in the number of programs, and linear in the
/// size of those that differ.
ScheduleDiff diffSchedules(const OpenedFile &before, const OpenedFile &after,
                           const DiffOptions &options = {});

} // namespace blink

#endif // BLINK_COMPILER_REPORT_SCHEDULEDIFF_H
