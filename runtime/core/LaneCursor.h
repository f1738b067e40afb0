//===- LaneCursor.h - one lane's way through a collective -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Which fold is next: in round 0, 1, 2, ... every step of the lane once, in
// order, each on the chunk of the round less its delay, passing over steps
// whose tree has no such chunk. The order that schedule.fbs states, for host
// and device alike.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CORE_LANECURSOR_H
#define BLINK_RUNTIME_CORE_LANECURSOR_H

#include "runtime/core/HostDevice.h"

#include <cstdint>

namespace blink::runtime {

/// How a step takes part in the rounds of a lane.
struct StepRounds {
  uint64_t chunks; ///< of its tree
  uint32_t delay;  ///< before its first one
};

/// A place in a lane. `roundsOf(step)` gives the StepRounds of the lane's step
/// of that number: the same on every call, with delays that never fall.
///
/// Costs, a fold: one step looked at, and those that are passed over. These are
/// few: what is finished at the lane's front is never looked at again, and the
/// first step whose delay is not over ends a round.
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

  template <typename RoundsOf>
  BLINK_HOST_DEVICE void next(const RoundsOf &roundsOf) {
    ++step_;
    findFold(roundsOf);
  }

private:
  /// From `step_` on, if it has none itself. Ends: a round in which nothing is
  /// found either moves `first_` or comes before a step's first one, and then
  /// it is left at once.
  template <typename RoundsOf>
  BLINK_HOST_DEVICE void findFold(const RoundsOf &roundsOf) {
    while (!done()) {
      if (step_ == numSteps_) {
        step_ = first_;
        ++round_;
      }
      const StepRounds rounds = roundsOf(step_);
      if (rounds.delay > round_) {
        // All that follow lag as much. Where nothing comes before, rounds until
        // then are empty.
        round_ = step_ == first_ ? rounds.delay : round_ + 1;
        step_ = first_;
        continue;
      }
      chunk_ = round_ - rounds.delay;
      if (chunk_ < rounds.chunks)
        return;
      first_ += step_ == first_; // it has none left
      ++step_;
    }
  }

  uint32_t numSteps_ = 0;
  uint32_t first_ = 0; ///< those before have no chunks left
  uint32_t step_ = 0;
  uint64_t round_ = 0;
  uint64_t chunk_ = 0;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CORE_LANECURSOR_H
