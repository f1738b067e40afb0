//===- TimePoints.h - estimated times, in points ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The first rounds of a message, in which pipelines fill, are simulated; each
// later one takes what the model of time says. So a message of any size costs
// no more than a few rounds to simulate.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SIMULATE_TIMEPOINTS_H
#define BLINK_COMPILER_SIMULATE_TIMEPOINTS_H

#include "compiler/plan/FoldProgram.h"
#include "schedules/ChunkSize.h"

namespace blink {

/// Sizes of messages, from `min` to below `max`.
struct SizeRange {
  uint64_t min = 0, max = 0;
};

/// Returns what messages take by `program`, which has lanes and slots, in the
/// form that a schedule file stores, from 0 bytes to 64 GiB: as few points as
/// keep the lines between them (schedules/TimePoints.h) within 1 % of the
/// estimates.
///
/// These are simulated, at modelCosts (LaneCosts.h), at powers of two or four
/// in `range`, unless that would take too long or lanes wait in a circle;
/// between and around them the model of time is corrected as it is there. For a
/// sendrecv the model alone stands, since its messages travel one by one.
std::vector<sched::TimePoint> timePoints(const FoldProgram &program,
                                         sched::Protocol protocol,
                                         sched::ChunkSizes chunks,
                                         SizeRange range);

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_TIMEPOINTS_H
