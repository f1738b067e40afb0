//===- LaneWaits.h - a lane's waits, all bounded ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// How a lane on a device waits for a word, and what it says when that takes too
// long or another call is there.
//
// Written against a Block, which on devices is the thread block and in tests a
// few host threads, so that the very code that runs on a GPU is tested, and
// checked for races, without one.
//
//   struct Block {
//     uint32_t thread(), size();       // this thread among the block's
//     void sync();                     // a barrier of the block's threads
//     LaneState &state();              // memory that they share
//     uint64_t nanoseconds();          // a clock
//     void relax();                    // between two looks at a word
//   };
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_LANEWAITS_H
#define BLINK_RUNTIME_CUDA_LANEWAITS_H

#include "runtime/core/Memory.h"
#include "runtime/core/Ring.h"
#include "runtime/cuda/Launch.h"

namespace blink::runtime {

/// What the threads of a lane share.
struct LaneState {
  /// Steps whose parts are kept; those of longer lanes are computed each time.
  static constexpr uint32_t kKeptSteps = 64;

  ElementRange ranges[kKeptSteps];
  uint64_t chunks[kKeptSteps];
  /// Of the step's operands; null for a destination that is the source.
  void *pointers[kMaxOperands];
  uint64_t numbers[kMaxOperands]; ///< of their chunks, where they are channels
  /// One for waiting and one for folding: a fast thread may set one while a
  /// slow one still looks at the other.
  uint32_t failed[2];
  uint32_t reported;
};

/// A lane, as far as waiting goes.
template <typename Block> class LaneWaits {
protected:
  BLINK_DEVICE LaneWaits(Block &block, const Launch &launch,
                         const DeviceProgram &program, uint32_t number)
      : block_(block), state_(block.state()), launch_(launch),
        program_(program), number_(number) {}

  /// Until `word` is the tag of chunk `number` in this call. False also if it
  /// is that of another call; what went wrong is reported.
  BLINK_DEVICE_CALL bool waitForTag(const uint64_t *word, uint64_t number,
                                    uint32_t index, bool reading) {
    if (!waitFor(word, index, reading, true, number + 1))
      return false;
    if (loadRelaxed(word) == makeTag(number, launch_.signature))
      return true;
    report(0, LaneReport::otherCall, index, reading, number + 1, number + 1);
    return false;
  }

  /// Polls `word` until it is the tag of chunk `expected` - 1, or a counter
  /// that has reached `expected`. False if that takes too long or another lane
  /// has failed, which is reported. `reading`: the lane reads `channel`.
  BLINK_DEVICE_CALL bool waitFor(const uint64_t *word, uint32_t channel,
                                 bool reading, bool isTag, uint64_t expected) {
    uint64_t value = loadAcquire(word);
    Patience patience;
    while (!(isTag ? holdsChunk(value, expected - 1) : value >= expected)) {
      if (!mayWait(patience)) {
        report(0, patience.reason, channel, reading, expected,
               value & kNumberMask);
        return false;
      }
      value = loadAcquire(word);
    }
    return true;
  }

  struct Patience {
    uint32_t looks = 0;
    uint64_t since = 0;
    LaneReport::Reason reason = LaneReport::none;
  };

  /// Waits a moment; false if enough is enough. Looks at its own device often
  /// and at the host, across the bus, seldom.
  BLINK_DEVICE_CALL bool mayWait(Patience &patience) {
    block_.relax();
    if (++patience.looks % 64 != 0)
      return true;
    const uint64_t now = block_.nanoseconds();
    if (patience.since == 0)
      patience.since = now;
    if (now - patience.since > launch_.timeoutNanoseconds)
      patience.reason = LaneReport::timeOut;
    else if (loadRelaxed(program_.abortHere) != 0 ||
             (patience.looks % 4096 == 0 &&
              loadRelaxed(program_.abortJob) != 0))
      patience.reason = LaneReport::aborted;
    return patience.reason == LaneReport::none;
  }

  /// Says what the lane waited for, and stops the other lanes of the job.
  /// `folding`: between the barriers around a fold, not before them.
  BLINK_DEVICE_CALL void report(int folding, LaneReport::Reason reason,
                                uint32_t channel, bool reading,
                                uint64_t expected, uint64_t seen) {
    exchangeOnce(&state_.failed[folding]);
    storeRelaxed(program_.abortHere, 1);
    if (!exchangeOnce(&state_.reported))
      return; // another thread of the lane reports
    LaneReport &report = program_.reports[number_];
    storeRelaxed(&report.step, step_);
    storeRelaxed(&report.channel, channel);
    storeRelaxed(&report.reading, reading);
    storeRelaxed(&report.expected, expected);
    storeRelaxed(&report.seen, seen);
    storeRelease(&report.reason, reason);
    storeRelease(program_.abortJob, 1);
  }

  Block &block_;
  LaneState &state_;
  const Launch &launch_;
  const DeviceProgram &program_;
  const uint32_t number_;
  uint32_t step_ = 0; ///< that the lane is at, for reports
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_LANEWAITS_H
