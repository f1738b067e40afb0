//===- FlightRecorder.h - no notes ------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Replaces runtime/flight/FlightRecorder.h, like Ticks.h beside it.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FLIGHT_FLIGHTRECORDER_H
#define BLINK_RUNTIME_FLIGHT_FLIGHTRECORDER_H

#include "runtime/core/Memory.h"
#include "runtime/flight/FlightPage.h"
#include "runtime/flight/Ticks.h"
#include "runtime/plan/Call.h"

#include <algorithm>

namespace blink::runtime {

class FlightRecorder {
public:
  FlightRecorder(char *, const FlightHeader &, const FlightLayout &) {}

  CallRecord &begin(const Call &, uint32_t, uint64_t, uint64_t) {
    static CallRecord none;
    return none;
  }
  static void end(CallRecord &, blinkResult_t, uint64_t) {}
  void addWait(bool, int, uint64_t) {}
  uint64_t waitedFor(int) const { return 0; }
  uint64_t collectives() const { return 0; }
  uint64_t messages() const { return 0; }
  void show(const Call &, size_t, const LaneRecord &) {}
  void hide(const Call &, size_t) {}
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_FLIGHTRECORDER_H
