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

/// A schedule of a file, which sched::openSchedule has accepted.
struct OpenedPiece {
  const sched::Schedule *schedule;
  std::string condition = ""; ///< as of ProgramKey
};

/// A file that has been opened, and the bytes it is in: a schedule, or a bundle
/// with all its pieces.
struct OpenedFile {
  static OpenedFile of(const sched::Schedule &schedule,
                       llvm::ArrayRef<uint8_t> bytes);
  /// Errors: a piece that cannot be opened; a bundle without any.
  static llvm::Expected<OpenedFile> of(const sched::BundleView &bundle,
                                       llvm::ArrayRef<uint8_t> bytes);

  llvm::ArrayRef<uint8_t> bytes;
  std::vector<OpenedPiece> pieces;           ///< one at least
  const sched::Topology *topology = nullptr; ///< the whole machine
  const sched::Provenance *provenance = nullptr;
  /// Of a bundle: the GPUs, and what has failed, that its schedules serve;
  /// sorted.
  std::vector<std::pair<std::vector<int>, std::string>> served = {};

  bool isBundle() const { return !served.empty(); }
  LinkKindSet linkKinds() const {
    return LinkKindSet(pieces[0].schedule->link_kinds());
  }
  size_t numPrograms() const;
  /// Of a schedule that of the trailer, which openSchedule has checked; of a
  /// bundle that of all bytes.
  uint64_t checksum() const;
};

struct ScheduleDiff {
  bool identical = false;   ///< the same bytes
  bool sameContent = false; ///< same machine and programs, made as they may
  std::vector<Finding> findings; ///< most important first; none when identical

  size_t count(Severity severity) const;
};

/// Programs are matched by collective, root, allocation and relays, and those
/// of bundles by what has failed: of each class its representative's. Takes
/// time n log n in the programs, and linear in the size of those that differ.
ScheduleDiff diffSchedules(const OpenedFile &before, const OpenedFile &after,
                           const DiffOptions &options = {});

} // namespace blink

#endif // BLINK_COMPILER_REPORT_SCHEDULEDIFF_H
