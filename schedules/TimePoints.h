//===- TimePoints.h - how long a message takes, from points -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The compiler writes what its model of time says at some sizes; the runtime
// answers for all others.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_TIMEPOINTS_H
#define BLINK_SCHEDULES_TIMEPOINTS_H

#include "schedules/schedule_generated.h"

namespace blink::sched {

using TimePoints = flatbuffers::Vector<const TimePoint *>;

/// Microseconds that a message of `bytes` takes by points that keep the rules
/// of schedule.fbs.
double timeAt(const TimePoints &points, uint64_t bytes);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_TIMEPOINTS_H
