//===- Delays.h - makes some ranks and lanes late ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Delays take a random time, during which all other work can go on. Nothing
// relies on a delay, so no outcome depends on how long it takes.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_STORM_DELAYS_H
#define BLINK_TEST_STORM_DELAYS_H

#include "test/storm/Plan.h"

namespace blink::storm {

/// Perhaps delays a rank's call.
void delayCall(const DelayPlan &plan, Dice &dice);

/// Delays lanes during the object's lifetime, if the back end has a hook:
/// before each fold on the host, before each barrier on emulated devices.
class LaneDelays {
public:
  explicit LaneDelays(const JobPlan &job);
  ~LaneDelays();
  LaneDelays(const LaneDelays &) = delete;
};

} // namespace blink::storm

#endif // BLINK_TEST_STORM_DELAYS_H
