//===- LaneWaits.h - a lane's waits, all bounded ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// How a lane on a device waits for a word, and what it reports if that takes
// too long or if the other end is in another call.
//
// The code is written against a Block. On devices that is the thread block, in
// tests a few host threads: so the code that runs on a GPU is tested, and
// checked for races, without one. Most threads of a block fold. The others, the
// posters, announce what has been folded while the next chunk is being loaded.
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

/// Waits a moment. Returns false if the wait must end: its time is up or the
/// job was aborted. Looks often at the abort word on its own device and seldom
/// at the one of the host, which is across the bus.
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

/// Ends a wait: what was waited for is there.
template <typename Block>
BLINK_DEVICE inline void endWait(Block &block, const Patience &patience,
                                 const Awaited &what) {
  if (patience.shown)
    tellGoingOn(block, patience, what);
}

/// Reports what the lane waited for, and stops the other lanes of the job.
template <typename Block>
BLINK_DEVICE_CALL void report(Block &block, LaneReport::Reason reason,
                              const Awaited &what, uint64_t seen) {
  LaneState &state = block.state();
  exchangeOnce(&state.failedFold, what.fold);
  storeRelaxed(state.program->abortHere, 1);
  // Either another thread of the lane reports, or another lane has reported.
  // What this lane has reported of the call before must stay.
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

/// Polls the word until what is awaited is there, and sets `value` to the word.
/// The caller has loaded `value` before, and found it wanting. Returns false if
/// the wait takes too long or another lane has failed, which is reported.
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
    // Relaxed, because an acquire makes the multiprocessor invalidate its cache
    // each time.
    value = loadRelaxed(what.word);
  } while (!what.isThere(value));
  endWait(block, patience, what);
  // This acquire makes what the other end wrote before the word visible.
  value = loadAcquire(what.word);
  return true;
}

/// Waits until `what` is there, and sets `value` to the word. Returns false if
/// the wait fails, or if the word is the tag of another call; both are
/// reported.
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

/// Waits until `tag` is that of chunk `number`. Returns false on failure, which
/// is reported.
template <typename Block>
BLINK_DEVICE inline bool waitForChunk(Block &block, const LaneOperand &operand,
                                      const uint64_t *tag, uint64_t number,
                                      uint32_t fold) {
  uint64_t value;
  return waitFor(
      block, {tag, number + 1, true, true, operand.step, operand.index, fold},
      value);
}

/// Waits until the reader has read `count` chunks. Returns false on failure,
/// which is reported.
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
