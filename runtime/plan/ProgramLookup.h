//===- ProgramLookup.h - the programs that are for a job --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A single schedule file is for one order of ranks. A bundle is for many
// allocations of a machine: the job's GPUs decide which of its programs the job
// plays, and which rank plays which part.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_PLAN_PROGRAMLOOKUP_H
#define BLINK_RUNTIME_PLAN_PROGRAMLOOKUP_H

#include "runtime/plan/ScheduleSet.h"
#include "schedules/ExpandSchedule.h"

#include <algorithm>

namespace blink::runtime {

/// A program that a job plays, and which ranks play it.
struct ResolvedProgram {
  /// The program as in its file; in full after expandPrograms().
  const sched::Program *program = nullptr;
  const sched::Schedule *file = nullptr;
  uint16_t root = 0; ///< rank of the job; the program's own may differ
  /// For each rank of the program: the job's rank that plays it. Empty: the
  /// rank with the same number.
  std::vector<uint16_t> jobRanks;
  /// For each variant: which of its channels there are. Empty: all.
  std::vector<sched::VariantPart> parts{};

  uint16_t jobRank(uint32_t programRank) const {
    return jobRanks.empty() ? uint16_t(programRank) : jobRanks[programRank];
  }
  /// The order in which sums are added, as the job sees it. A bundle's program
  /// adds in the order of its own ranks, which need not be that of the job's.
  sched::ReductionOrder order() const {
    return jobRanks.empty()
               ? program->order()
               : std::min(program->order(), sched::ReductionOrder::invariant);
  }
};

/// Everything that the files have for a job.
struct ProgramLookup {
  std::vector<ResolvedProgram> programs;
  /// Differs if the files, or what was taken of them, differ.
  uint64_t fingerprint = 0;
  /// Describes what the bundles have for the job, for error messages: "" or ";
  /// ...".
  std::string notes;
};

/// The place where a job runs; bundles are searched by it.
struct JobGpus {
  std::vector<int> numbers{}; ///< the machine's, of each rank; empty: unknown
  /// "gpu0:gpu3": this link has failed; "": none has.
  std::string withoutLink{};
  /// hostIdentity() where each rank runs; empty: unknown.
  std::vector<uint64_t> hosts{};
};

/// Takes the programs for `numRanks` ranks from single files, and those for
/// `gpus` from bundles. Opens and checks the pieces of bundles that it takes.
/// Errors: nothing fits; a piece is damaged.
Status lookUpPrograms(const ScheduleSet &files, int numRanks,
                      const JobGpus &gpus, ProgramLookup &lookup);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_PLAN_PROGRAMLOOKUP_H
