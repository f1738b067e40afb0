//===- TimePoints.cpp - how long a message takes, from points -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/TimePoints.h"

namespace blink::sched {

double timeAt(const TimePoints &points, uint64_t bytes) {
  uint32_t next = 1; // end of the interval that holds `bytes`
  while (next + 1 < points.size() && points[next]->bytes() < bytes)
    ++next;
  const TimePoint &from = *points[next - 1], &to = *points[next];
  const double part =
      double(bytes - from.bytes()) / double(to.bytes() - from.bytes());
  // At a point itself the result is exact.
  return part == 1 ? to.microseconds()
                   : from.microseconds() +
                         part * (to.microseconds() - from.microseconds());
}

} // namespace blink::sched
