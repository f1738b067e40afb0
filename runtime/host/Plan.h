//===- Plan.h - programs, prepared once -------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What replaying needs beyond the file, worked out when communicators are made
// so that a call finds everything in place.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_PLAN_H
#define BLINK_RUNTIME_HOST_PLAN_H

#include "runtime/ScheduleSet.h"

#include <vector>

namespace blink::runtime {

/// A variant's channels on this host.
struct VariantPlan {
  /// The lanes at the ends of a channel, as numbers over all ranks.
  struct Ends {
    uint32_t writer = 0;
    uint32_t reader = 0;
  };

  const sched::Variant *variant = nullptr;
  std::vector<Ends> ends;            ///< of each channel
  std::vector<uint64_t> slotOffsets; ///< of each channel's ring in the pool
  uint64_t poolBytes = 0;
};

struct ProgramPlan {
  const sched::Program *program = nullptr;
  std::vector<VariantPlan> variants;
  std::vector<bool> readsInput; ///< of each rank, in any variant
  std::vector<bool> usesOutput; ///< likewise: reads or writes
};

/// The programs of a set for one number of ranks. Variants share one pool of
/// memory and one set of counters: a collective begins when all ranks are
/// there, and then every channel is empty.
struct Plan {
  int numRanks = 0;
  ScheduleSet files; ///< what everything here points into
  std::vector<ProgramPlan> programs;
  std::vector<uint32_t> firstLane; ///< of each rank; one more: the total
  // The most that any variant needs:
  uint64_t poolBytes = 0;
  size_t numChannels = 0;
  size_t numTrees = 0;
  size_t numOperands = 0; ///< of one step

  /// Errors: invalid usage if no program is for `numRanks` ranks.
  static Status create(const ScheduleSet &files, int numRanks, Plan &plan);

  /// Errors: invalid usage, naming what to compile.
  Status find(sched::Collective collective, int root,
              const ProgramPlan *&program) const;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_PLAN_H
