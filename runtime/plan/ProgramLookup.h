//===- ProgramLookup.h - the programs that are for a job --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A schedule file is for one order of ranks. A bundle is for allocations of a
// machine: the job's GPUs decide which programs it plays and which rank plays
// which part.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_PLAN_PROGRAMLOOKUP_H
#define BLINK_RUNTIME_PLAN_PROGRAMLOOKUP_H

#include "runtime/plan/ScheduleSet.h"
#include "schedules/ExpandSchedule.h"

#include <algorithm>

namespace blink::runtime {

/// A program that a job plays, and by whom.
struct ResolvedProgram {
  /// In full, or as its file has it, until expandPrograms() has been there.
  const sched::Program *program = nullptr;
  const sched::Schedule *file = nullptr;
  uint16_t root = 0; ///< rank of the job; the program's own may be another
  /// Of each rank of the program: the job's rank that plays it. Empty: the same
  /// one.
  std::vector<uint16_t> jobRanks;
  /// Of each variant: what there is of its channels. Empty: all.
  std::vector<sched::VariantPart> parts{};

  uint16_t jobRank(uint32_t programRank) const {
    return jobRanks.empty() ? uint16_t(programRank) : jobRanks[programRank];
  }
  /// In which order sums are added for the job: that of ranks may be that of a
  /// bundle's ranks, and not of the job's.
  sched::ReductionOrder order() const {
    return jobRanks.empty()
               ? program->order()
               : std::min(program->order(), sched::ReductionOrder::invariant);
  }
};

/// What files have for a job.
struct ProgramLookup {
  std::vector<ResolvedProgram> programs;
  /// Differs where files, or what was taken of them, differ.
  uint64_t fingerprint = 0;
  /// What the bundles have for the job, for messages: "" or "; ...".
  std::string notes;
};

/// Where a job runs, which bundles ask for.
struct JobGpus {
  std::vector<int> numbers{}; ///< the machine's, of each rank; empty: not known
  std::string withoutLink{};  ///< "gpu0:gpu3": has failed; "": none has
  /// hostIdentity() where each rank runs; empty: not known.
  std::vector<uint64_t> hosts{};
};

/// Takes the programs for `numRanks` ranks from files, and from bundles those
/// for `gpus`. Opens and checks the pieces of bundles that it takes. Errors:
/// nothing fits; a piece is damaged.
Status lookUpPrograms(const ScheduleSet &files, int numRanks,
                      const JobGpus &gpus, ProgramLookup &lookup);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_PLAN_PROGRAMLOOKUP_H
