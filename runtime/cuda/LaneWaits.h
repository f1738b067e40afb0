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

#include "runtime/core/Ring.h"
#include "runtime/cuda/LaneNotes.h"

namespace blink::runtime {

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
  patience.isLong = now - patience.since > kToldAfter;
  return patience.reason == LaneReport::none;
}

/// What was waited for is there.
template <typename Block>
BLINK_DEVICE inline void endWait(Block &block, const Patience &patience,
                                 const Awaited &what) {
  if (patience.shown)
    tellGoingOn(block, patience, what);
}

/// Says what the lane waited for, and stops the other lanes of the job.
template <typename Block>
BLINK_DEVICE_CALL void report(Block &block, LaneReport::Reason reason,
                              const Awaited &what, uint64_t seen) {
  LaneState &state = block.state();
  exchangeOnce(&state.failedFold, what.fold);
  storeRelaxed(state.program->abortHere, 1);
  // Another thread of the lane reports, or another lane has: what this one has
  // reported of the call before must stay.
  if (reason == LaneReport::aborted || !exchangeOnce(&state.reported, 1))
    return;
  LaneReport &report = state.program->reports[state.lane];
  storeRelaxed(&report.step, what.step);
  storeRelaxed(&report.channel,
               state.program->notes.channels[what.channel].number);
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
    if (patience.isLong)
      tellWait(block, patience, what);
    // Relaxed: an acquire costs the multiprocessor its cache each time.
    value = loadRelaxed(what.word);
  } while (!what.isThere(value));
  endWait(block, patience, what);
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
