//===- Ticks.cpp - a clock that takes a few nanoseconds -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/flight/Ticks.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace blink::runtime {
namespace {

bool findEvenCounter() {
#if defined(__x86_64__)
  unsigned a, b, c, d;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8) != 0;
#else
  return false;
#endif
}

} // namespace

const bool kHasEvenCounter = findEvenCounter();

TickScale::TickScale(uint64_t ticksThen, uint64_t nanoseconds)
    : ticks_(ticks()), now_(wallTime()) {
  // Both clocks may have been set back since.
  if (ticks_ > ticksThen && now_ > nanoseconds)
    perTick_ = double(now_ - nanoseconds) / double(ticks_ - ticksThen);
}

uint64_t TickScale::timeOf(uint64_t moment) const {
  if (moment == 0)
    return 0;
  return moment > ticks_ ? now_ : now_ - length(ticks_ - moment);
}

} // namespace blink::runtime
