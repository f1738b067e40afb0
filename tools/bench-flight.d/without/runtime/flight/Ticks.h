//===- Ticks.h - no time ----------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Replaces runtime/flight/Ticks.h when tools/bench-flight builds a library that
// takes no notes. Everything that reads the time for notes only becomes empty.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FLIGHT_TICKS_H
#define BLINK_RUNTIME_FLIGHT_TICKS_H

#include <cstdint>

namespace blink::runtime {

extern const bool kHasEvenCounter;

inline uint64_t ticks() { return 0; }
inline uint64_t wallTime() { return 0; }

class TickScale {
public:
  TickScale(uint64_t ticks, uint64_t nanoseconds);
  uint64_t timeOf(uint64_t moment) const;
  uint64_t length(uint64_t duration) const {
    return uint64_t(double(duration) * perTick_);
  }
  uint64_t now() const { return now_; }

private:
  uint64_t ticks_, now_;
  double perTick_ = 1;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_TICKS_H
