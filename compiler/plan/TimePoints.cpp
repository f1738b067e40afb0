//===- TimePoints.cpp - the model of time, in points ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The model is straight but for where chunks grow, the pipeline becomes longer
// than the message, another lane is the busiest, and calls begin to go without
// slots, where it jumps. So each line goes as far as it is right.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/TimePoints.h"

#include "schedules/ChunkSize.h"

#include <cmath>

using namespace blink;

/// The sizes that may be points, ascending.
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

/// Whether the points between two lie near the line that joins these.
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
  // Nobody knows more digits, and in another form of the program
  // (FoldProgram.h) sums that are added in another order differ in the last
  // ones of a double.
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
