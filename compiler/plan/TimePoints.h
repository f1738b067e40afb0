//===- TimePoints.h - the model of time, in points --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_TIMEPOINTS_H
#define BLINK_COMPILER_PLAN_TIMEPOINTS_H

#include "compiler/plan/TimeModel.h"

namespace blink {

/// Returns `time` in the form that a schedule file stores, from 0 bytes to 64
/// GiB: as few points as keep the lines between them (schedules/TimePoints.h)
/// within 1 % of it. There are two points if messages are not cut into chunks.
std::vector<sched::TimePoint> timePoints(const MessageTime &time);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_TIMEPOINTS_H
