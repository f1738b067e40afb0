//===- LaneWaits.h - a lane's waits, all bounded ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// How a lane on a device waits for a word, and what it says when that takes too
// long or another call is there.
//
// Written against a Block, which on devices is the thread block and in tests a
// few host threads, so that the very code that runs on a GPU is tested, and
// checked for races, without one. Most of its threads fold; the others, the
// posters, tell the other ends what has been folded while the next chunk is
// being loaded.
//
//   struct Block {
//     uint32_t thread(), size();       // this folding thread among them
//     bool isPoster();
//     uint32_t poster(), posters();    // this poster among them
//     uint32_t member(), members();    // this thread among all
//     void sync();                     // a barrier of all threads
//     void syncFold();                 // a barrier of the folding threads
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

struct Patience {
  uint32_t looks = 0;
  uint64_t since = 0;
  LaneReport::Reason reason = LaneReport::none;
};

/// Waits a moment; false if enough is enough. Looks at its own device often and
/// at the host, across the bus, seldom.
template <typename Block>
BLINK_DEVICE_CALL bool mayWait(Block &block, Patience &patience) {
  block.relax();
  if (++patience.looks % 64 != 0)
    return true;
  const LaneState &state = block.state();
  const uint64_t now = block.nanoseconds();
  if (patience.since == 0)
    patience.since = now;
  if (now - patience.since > state.timeoutNanoseconds)
    patience.reason = LaneReport::timeOut;
  else if (loadRelaxed(state.program->abortHere) != 0 ||
           (patience.looks % 4096 == 0 &&
            loadRelaxed(state.program->abortJob) != 0))
    patience.reason = LaneReport::aborted;
  return patience.reason == LaneReport::none;
}

/// Says what the lane waited for, and stops the other lanes of the job.
template <typename Block>
BLINK_DEVICE_CALL void report(Block &block, LaneReport::Reason reason,
                              const Awaited &what, uint64_t seen) {
  LaneState &state = block.state();
  exchangeOnce(&state.failedFold, what.fold);
  storeRelaxed(state.program->abortHere, 1);
  if (!exchangeOnce(&state.reported, 1))
    return; // another thread of the lane reports
  LaneReport &report = state.program->reports[state.lane];
  storeRelaxed(&report.step, what.step);
  storeRelaxed(&report.channel, what.channel);
  storeRelaxed(&report.reading, what.reading);
  storeRelaxed(&report.expected, what.expected);
  storeRelaxed(&report.seen, seen);
  storeRelease(&report.reason, reason);
  storeRelease(state.program->abortJob, 1);
}

/// Polls the word until it is there, at `value`, which the caller has loaded
/// already, and not found. False if that takes too long or another lane has
/// failed, which is reported.
template <typename Block>
BLINK_DEVICE_CALL bool waitLong(Block &block, const Awaited &what,
                                uint64_t &value) {
  Patience patience;
  do {
    if (!mayWait(block, patience)) {
      report(block, patience.reason, what, value & kNumberMask);
      return false;
    }
    // Relaxed: an acquire costs the multiprocessor its cache each time.
    value = loadRelaxed(what.word);
  } while (!what.isThere(value));
  // What the other end wrote before is visible after this.
  value = loadAcquire(what.word);
  return true;
}

/// Until `what` is there; `value`: the word. False also if it is the tag of
/// another call; what went wrong is reported.
template <typename Block>
BLINK_DEVICE inline bool waitFor(Block &block, const Awaited &what,
                                 uint64_t &value) {
  value = loadAcquire(what.word);
  if (!what.isThere(value) && !waitLong(block, what, value))
    return false;
  if (!what.isTag ||
      value == makeTag(what.expected - 1, block.state().signature))
    return true;
  report(block, LaneReport::otherCall, what, what.expected);
  return false;
}

/// Until chunk `number` is where `tag` is. False if not, which is reported.
template <typename Block>
BLINK_DEVICE inline bool waitForChunk(Block &block, const LaneOperand &operand,
                                      const uint64_t *tag, uint64_t number,
                                      uint32_t fold) {
  uint64_t value;
  return waitFor(
      block, {tag, number + 1, true, true, operand.step, operand.index, fold},
      value);
}

/// Until the reader has read so many chunks. Likewise.
template <typename Block>
BLINK_DEVICE inline bool waitForReader(Block &block, LaneOperand &operand,
                                       uint64_t count, uint32_t fold) {
  return operand.credit >= count ||
         waitFor(block,
                 {operand.channel.freed, count, false, false, operand.step,
                  operand.index, fold},
                 operand.credit);
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_LANEWAITS_H
