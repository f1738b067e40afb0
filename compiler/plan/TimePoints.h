//===- TimePoints.h - the model of time, in points --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_TIMEPOINTS_H
#define BLINK_COMPILER_PLAN_TIMEPOINTS_H

#include "compiler/plan/TimeModel.h"

namespace blink {

/// `time` as a schedule file has it, from 0 bytes to 64 GiB: so few points that
/// the lines between them (schedules/TimePoints.h) are within 1 % of it. They
/// are two where messages do not go in chunks.
std::vector<sched::TimePoint> timePoints(const MessageTime &time);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_TIMEPOINTS_H
