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

/// The state that the threads of a lane share.
struct LaneState {
  /// A lane with at most so many steps and operands is copied into these
  /// arrays. The threads of a larger lane work on the steps and operands in the
  /// device's memory.
  static constexpr uint32_t kKeptSteps = 64;
  static constexpr uint32_t kKeptOperands = 256;

  LaneStep steps[kKeptSteps];
  LaneOperand operands[kKeptOperands];
  /// The addresses of the current step's operands; null for a destination that
  /// needs nothing.
  void *pointers[kMaxOperands];
  uint32_t flags[kMaxOperands]; ///< of the lines of channels
  /// Data of lines, if a fold has no more of them (LineFold.h): as many as the
  /// 48 KiB that a block has without asking leave room for.
  static constexpr uint32_t kLineWords = 448;
  uint64_t lineWords[kLineWords];

  /// Members of the call, for waits and reports:
  const DeviceProgram *program;
  uint64_t timeoutNanoseconds;
  uint64_t signature;
  uint64_t scalar; ///< what inputs are multiplied by, in the low-order bytes
  bool scales;     ///< whether inputs are multiplied
  uint32_t lane;
  uint32_t queue;       ///< as in LaunchedRank
  uint32_t endingLanes; ///< result of LaneCall::endingLanes()
  uint32_t waited;      ///< 1: addWaits() has something to add
  uint32_t shown;       ///< 1: a thread's wait is shown in the lane's record
  // Members of the lane; they are kept here because folds need the registers:
  uint32_t numSteps, numOperands;
  LaneStep *allSteps;
  LaneOperand *allOperands;

  /// The lane's trace; null if folds are not timed.
  LaneTrace *trace;
  /// Only the first thread uses these, and only if folds are timed: when the
  /// operands of this fold were there, its bytes, and the end of the last fold
  /// (0: this is the first).
  uint64_t ready, bytes, idleSince;

  /// The number of the fold that failed (LaneCall); 0: none. Threads compare it
  /// with their own fold behind the barrier that ends the fold, so all of them
  /// give up at the same place: by the time a slow thread looks, the next fold
  /// may have failed.
  uint32_t failedFold;
  uint32_t reported;
};

/// The word that a lane waits for, in the terms of its reports.
struct Awaited {
  const uint64_t *word;
  /// Either the tag of chunk `expected` - 1, or a counter that has reached
  /// `expected`.
  uint64_t expected;
  bool isTag;
  bool reading; ///< whether the lane reads the channel
  uint32_t step;
  uint32_t channel;
  uint32_t fold; ///< number of the fold, like LaneState::failedFold

  BLINK_DEVICE bool isThere(uint64_t value) const {
    return isTag ? holdsChunk(value, expected - 1) : value >= expected;
  }
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_LANESTATE_H
