//===- LaneCursor.h - a lane's way through a collective ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Finds the next fold: in each of the rounds 0, 1, 2, ... every step of the
// lane has one turn, in order, on the chunk whose number is the round's less
// the step's delay. Steps whose tree has no such chunk are skipped. This is the
// order that schedule.fbs prescribes, for host and device alike.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CORE_LANECURSOR_H
#define BLINK_RUNTIME_CORE_LANECURSOR_H

#include "runtime/core/HostDevice.h"

#include <cstdint>

namespace blink::runtime {

/// How a step takes part in the rounds of a lane.
struct StepRounds {
  uint64_t chunks; ///< of the step's tree
  uint32_t delay;  ///< rounds before its first chunk
};

/// A position in a lane. `roundsOf(step)` returns the StepRounds of the lane's
/// step with that number. It must return the same on every call, and delays
/// must never decrease from one step to the next.
///
/// The cost of a fold is that of looking at one step, and at those that are
/// skipped. These are few: finished steps at the lane's front are never looked
/// at again, and the first step whose delay is not over ends a round.
class LaneCursor {
public:
  /// Goes to the first fold of a lane of `numSteps` steps.
  template <typename RoundsOf>
  BLINK_HOST_DEVICE void start(uint32_t numSteps, const RoundsOf &roundsOf) {
    numSteps_ = numSteps;
    first_ = step_ = 0;
    round_ = 0;
    findFold(roundsOf);
  }

  BLINK_HOST_DEVICE bool done() const { return first_ == numSteps_; }
  BLINK_HOST_DEVICE uint32_t step() const { return step_; }
  BLINK_HOST_DEVICE uint64_t chunk() const { return chunk_; }
  BLINK_HOST_DEVICE uint64_t round() const { return round_; }

  template <typename RoundsOf>
  BLINK_HOST_DEVICE void next(const RoundsOf &roundsOf) {
    ++step_;
    findFold(roundsOf);
  }

private:
  /// Finds the first fold from `step_` on. Terminates: a round in which nothing
  /// is found either moves `first_`, or comes before the first chunk of some
  /// step, and then the round ends at once.
  template <typename RoundsOf>
  BLINK_HOST_DEVICE void findFold(const RoundsOf &roundsOf) {
    while (!done()) {
      if (step_ == numSteps_) {
        step_ = first_;
        ++round_;
      }
      const StepRounds rounds = roundsOf(step_);
      if (rounds.delay > round_) {
        // All steps that follow have at least this delay. If no step before
        // this one is left, the rounds until then are empty.
        round_ = step_ == first_ ? rounds.delay : round_ + 1;
        step_ = first_;
        continue;
      }
      chunk_ = round_ - rounds.delay;
      if (chunk_ < rounds.chunks)
        return;
      first_ += step_ == first_; // the step has no chunks left
      ++step_;
    }
  }

  uint32_t numSteps_ = 0;
  uint32_t first_ = 0; ///< steps before this one have no chunks left
  uint32_t step_ = 0;
  uint64_t round_ = 0;
  uint64_t chunk_ = 0;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CORE_LANECURSOR_H
