//===- Ticks.h - a clock that takes a few nanoseconds -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Reads the processor's counter if the machine has one that runs evenly on all
// processors, which takes a third of the time of asking the system; otherwise
// reads the system's clock.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FLIGHT_TICKS_H
#define BLINK_RUNTIME_FLIGHT_TICKS_H

#include <chrono>
#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace blink::runtime {

/// Whether the counter runs evenly, according to CPUID.
extern const bool kHasEvenCounter;

/// Returns the time in ticks; the same in all processes of a machine.
inline uint64_t ticks() {
#if defined(__x86_64__)
  if (kHasEvenCounter)
    return __rdtsc();
#elif defined(__aarch64__)
  uint64_t count;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#endif
  return uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
}

/// Returns nanoseconds since 1970.
inline uint64_t wallTime() {
  return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::system_clock::now().time_since_epoch())
                      .count());
}

/// Converts ticks() to nanoseconds, from two moments that were read on both
/// clocks; the further these are apart, the more precise.
class TickScale {
public:
  TickScale(uint64_t ticks, uint64_t nanoseconds);
  /// Converts a moment to nanoseconds since 1970; 0 stays 0.
  uint64_t timeOf(uint64_t moment) const;
  /// Converts a duration.
  uint64_t length(uint64_t duration) const {
    return uint64_t(double(duration) * perTick_);
  }
  /// Returns when this object was made, in wallTime().
  uint64_t now() const { return now_; }

private:
  uint64_t ticks_, now_;
  double perTick_ = 1;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_TICKS_H
