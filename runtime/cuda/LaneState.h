//===- LaneState.h - what the threads of a lane share -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_LANESTATE_H
#define BLINK_RUNTIME_CUDA_LANESTATE_H

#include "runtime/core/Ring.h"
#include "runtime/cuda/Launch.h"

namespace blink::runtime {

/// What the threads of a lane share.
struct LaneState {
  /// The steps and operands of a lane that has no more than that are kept here;
  /// the others work on those in the device's memory.
  static constexpr uint32_t kKeptSteps = 64;
  static constexpr uint32_t kKeptOperands = 256;

  LaneStep steps[kKeptSteps];
  LaneOperand operands[kKeptOperands];
  /// Of the operands of the step that is folded: where they are; null for a
  /// destination that needs nothing.
  void *pointers[kMaxOperands];
  uint32_t flags[kMaxOperands]; ///< that the lines of channels have

  /// Of the call, for waits and reports.
  const DeviceProgram *program;
  uint64_t timeoutNanoseconds;
  uint64_t signature;
  uint64_t scalar; ///< what inputs are multiplied by, in the low end
  bool scales;     ///< whether they are
  uint32_t lane;
  uint32_t queue;       ///< as LaunchedRank
  uint32_t endingLanes; ///< LaneCall::endingLanes()
  uint32_t waited;      ///< 1: addWaits() finds something
  uint32_t shown;       ///< 1: what a thread of the lane waits for is told
  // Of the lane, here rather than in registers, which folds need.
  uint32_t numSteps, numOperands;
  LaneStep *allSteps;
  LaneOperand *allOperands;

  /// Where folds are timed; null if they are not.
  LaneTrace *trace;
  /// Of the first thread alone, where folds are timed: when the operands of
  /// this fold were there, its bytes, and the end of the last fold; 0: there
  /// was none.
  uint64_t ready, bytes, idleSince;

  /// The number of the fold that failed (LaneCall); 0: none. A thread gives up
  /// behind the barrier that ends this fold, as all others do: by the time that
  /// a slow thread looks, the next fold may have failed.
  uint32_t failedFold;
  uint32_t reported;
};

/// What a lane waits for, as reports name it.
struct Awaited {
  const uint64_t *word;
  /// The tag of chunk `expected` - 1, or a counter that has reached `expected`.
  uint64_t expected;
  bool isTag;
  bool reading; ///< the lane reads the channel
  uint32_t step;
  uint32_t channel;
  uint32_t fold; ///< as LaneState::failedFold

  BLINK_DEVICE bool isThere(uint64_t value) const {
    return isTag ? holdsChunk(value, expected - 1) : value >= expected;
  }
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_LANESTATE_H
