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

/// Microseconds of a call, in each of two traces.
using TracedTimes = std::array<double, 2>;

/// A step of a lane that both traces have.
struct TraceStepDiff {
  std::string rank; ///< its name
  uint32_t lane = 0, step = 0;
  TracedTimes folds{};  ///< in its folds
  TracedTimes waited{}; ///< before them

  double change() const {
    return (folds[1] - folds[0]) + (waited[1] - waited[0]);
  }
};

struct TraceDiff {
  std::array<uint64_t, 2> calls{}; ///< that the traces have
  /// Median over calls of the time from the first fold's begin to the last
  /// one's end.
  TracedTimes span{};
  TracedTimes folds{}, waited{}; ///< of a call, all lanes together
  /// By how much they changed, most first; equal ones by place.
  std::vector<TraceStepDiff> steps;
  /// Steps of lanes that only one of them ran.
  std::array<uint64_t, 2> alone{};
};

/// What takes longer in `after`. A call of a lane begins with its first chunk
/// of the step that it began with; sums are divided by a lane's calls, so that
/// a simulation, which is one call, stands beside a run of hundred. Traces of
/// other schedules, or in other chunks, have the same steps at best.
TraceDiff diffTraces(const sched::ReplayTrace &before,
                     const sched::ReplayTrace &after);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_TRACEDIFF_H
