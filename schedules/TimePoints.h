//===- TimePoints.h - how long a message takes, from points -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The compiler writes the predictions of its model of time for some sizes; the
// runtime interpolates between them.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_TIMEPOINTS_H
#define BLINK_SCHEDULES_TIMEPOINTS_H

#include "schedules/schedule_generated.h"

namespace blink::sched {

using TimePoints = flatbuffers::Vector<const TimePoint *>;

/// Returns the time of a message of `bytes` in microseconds, given points that
/// obey the rules of schedule.fbs.
double timeAt(const TimePoints &points, uint64_t bytes);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_TIMEPOINTS_H
