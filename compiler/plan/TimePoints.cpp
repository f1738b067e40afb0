//===- TimePoints.cpp - the model of time, in points ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The model is piecewise linear. It bends where chunks grow, where the pipeline
// becomes longer than the message and where another lane becomes the busiest,
// and jumps where calls begin to go without slots. So each line extends as far
// as it is accurate.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/TimePoints.h"

#include "schedules/ChunkSize.h"

#include <cmath>

using namespace blink;

/// Returns the sizes that may be points, ascending.
static std::vector<uint64_t> possibleSizes() {
  constexpr uint64_t kFirst = 1 << 10, kLast = uint64_t(64) << 30;
  std::vector<uint64_t> sizes = {0};
  for (uint64_t power = kFirst; power < kLast; power *= 2)
    for (uint64_t eighth = 8; eighth < 16; ++eighth) {
      if (power * eighth / 8 == sched::kDirectBytes)
        sizes.push_back(sched::kDirectBytes - 1);
      sizes.push_back(power * eighth / 8);
    }
  sizes.push_back(kLast);
  return sizes;
}

/// Returns true if all points lie near the line from the first one to the last
/// one.
static bool isStraight(llvm::ArrayRef<sched::TimePoint> points) {
  constexpr double kNear = 0.01;
  const sched::TimePoint &from = points.front(), &to = points.back();
  const double slope = (to.microseconds() - from.microseconds()) /
                       double(to.bytes() - from.bytes());
  for (const sched::TimePoint &point : points.drop_front().drop_back()) {
    const double line =
        from.microseconds() + slope * double(point.bytes() - from.bytes());
    if (std::abs(line - point.microseconds()) > kNear * point.microseconds())
      return false;
  }
  return true;
}

std::vector<sched::TimePoint> blink::timePoints(const MessageTime &time) {
  // Points have float precision: the model is no more accurate, and sums that
  // are added in another order, as in the program's other form (FoldProgram.h),
  // differ in the last digits of a double.
  std::vector<sched::TimePoint> all;
  for (uint64_t bytes : possibleSizes())
    all.emplace_back(bytes, double(float(time.at(bytes))));
  std::vector<sched::TimePoint> points = {all.front()};
  llvm::ArrayRef<sched::TimePoint> rest = all; // from the last point on
  while (rest.size() > 1) {
    size_t count = 2;
    while (count < rest.size() && isStraight(rest.take_front(count + 1)))
      ++count;
    points.push_back(rest[count - 1]);
    rest = rest.drop_front(count - 1);
  }
  return points;
}
