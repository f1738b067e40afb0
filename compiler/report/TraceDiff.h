//===- TraceDiff.h - two traces side by side --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_TRACEDIFF_H
#define BLINK_COMPILER_REPORT_TRACEDIFF_H

#include "schedules/trace/ReplayTrace.h"

#include <array>

namespace blink {

/// Microseconds per call, in each of the two traces.
using TracedTimes = std::array<double, 2>;

/// A step of a lane that both traces have.
struct TraceStepDiff {
  std::string rank; ///< its name
  uint32_t lane = 0, step = 0;
  TracedTimes folds{};  ///< spent in its folds
  TracedTimes waited{}; ///< waited before them

  double change() const {
    return (folds[1] - folds[0]) + (waited[1] - waited[0]);
  }
};

struct TraceDiff {
  std::array<uint64_t, 2> calls{}; ///< in each trace
  /// Median over calls of the time from the begin of the first fold to the end
  /// of the last.
  TracedTimes span{};
  TracedTimes folds{}, waited{}; ///< per call, over all lanes
  /// Sorted by how much they changed, largest first; ties by rank, lane and
  /// step.
  std::vector<TraceStepDiff> steps;
  /// Steps that only one of the traces has.
  std::array<uint64_t, 2> alone{};
};

/// Finds what takes longer in `after`. A call of a lane begins whenever the
/// lane comes back to the step and chunk that its trace began with. Sums are
/// divided by the lane's number of calls, so that a simulation, which is a
/// single call, compares with a run of a hundred. Traces of different
/// schedules, or with different chunks, have at best the same step numbers.
TraceDiff diffTraces(const sched::ReplayTrace &before,
                     const sched::ReplayTrace &after);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_TRACEDIFF_H
