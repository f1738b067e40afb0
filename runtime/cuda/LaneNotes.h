//===- LaneNotes.h - a lane says what it is at ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The writing side of flight/FlightPage.h on devices: stores to host memory
// that nobody waits for.
//
// Lane 0 of a call says that it has begun. It has ended when all lanes have
// done their part, which they count in a word in the device's memory; a message
// when its lane 0 has. That word counts calls, too, also those that a graph
// launches again: nobody on the host hears of these.
//
// Only a lane that has waited long says what for, and how long it was in the
// end. One that gives up leaves what it has said for the error's sentence.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_LANENOTES_H
#define BLINK_RUNTIME_CUDA_LANENOTES_H

#include "runtime/core/Memory.h"
#include "runtime/cuda/LaneState.h"

namespace blink::runtime {

/// A wait that takes so long is told, in nanoseconds.
inline constexpr uint64_t kToldAfter = 2000000;

/// A word of DeviceNotes::calls: lanes that have done their part below the
/// number of calls that have begun.
inline constexpr unsigned kLaneBits = 16;
inline constexpr uint64_t kOneCall = uint64_t(1) << kLaneBits;

/// By one thread of lane 0: counts the call. For noteBegin().
BLINK_DEVICE inline uint64_t countCall(const DeviceNotes &notes,
                                       uint32_t queue) {
  return 1 + (addRelaxed(notes.calls + queue, kOneCall) >> kLaneBits);
}

/// And says that it has begun.
template <typename Block>
BLINK_DEVICE_CALL void noteBegin(Block &block, const LaunchedCall &launch,
                                 const DeviceNotes &notes, uint32_t queue,
                                 uint64_t number) {
  DeviceCallRecord record;
  record.number = number;
  record.what = launch.what | uint64_t(launch.launch) << 32;
  record.count = launch.shape.count;
  record.variant = launch.layout - 1;
  record.started = block.nanoseconds();
  record.check = checkOf(record);
  DeviceCallRecord &note = notes.recordOf(queue, number);
  // Relaxed, all: the record says itself whether its words belong together.
  storeRelaxed(&note.number, record.number);
  storeRelaxed(&note.what, record.what);
  storeRelaxed(&note.count, record.count);
  storeRelaxed(&note.variant, record.variant);
  storeRelaxed(&note.started, record.started);
  storeRelaxed(&note.check, record.check);
}

/// By one thread of each of `lanes` lanes: the last one says that the call has
/// ended.
template <typename Block>
BLINK_DEVICE inline void noteEnd(Block &block, const DeviceNotes &notes,
                                 uint32_t queue, uint64_t lanes) {
  const uint64_t before = addRelaxed(notes.calls + queue, 1);
  if ((before & (kOneCall - 1)) + 1 != lanes)
    return;
  addRelaxed(notes.calls + queue, -lanes);
  const uint64_t number = before >> kLaneBits;
  // A word by itself.
  storeRelaxed(&notes.recordOf(queue, number).ended,
               endOf(number, block.nanoseconds()));
}

/// How long a thread has waited, and what has been told of that.
struct Patience {
  uint32_t looks = 0;
  uint64_t since = 0;
  LaneReport::Reason reason = LaneReport::none;
  bool isLong = false; ///< it is time for tellWait()
  bool shown = false;  ///< the wait is in the lane's record
};

/// Shows what a thread of the lane waits for, unless another one is shown.
/// Folds have few registers to spare for these functions: sums are made when
/// the lane is done.
template <typename Block>
BLINK_DEVICE_CALL void tellWait(Block &block, Patience &patience,
                                const Awaited &what) {
  patience.isLong = false;
  LaneState &state = block.state();
  const DeviceNotes &notes = state.program->notes;
  if (patience.shown || !exchangeOnce(&state.shown, 1))
    return;
  patience.shown = true;
  DeviceLaneRecord &record = notes.lanes[state.lane];
  storeRelaxed(&record.call, 0);
  // In this order, each behind the one before it: see FlightPage.h.
  releaseFence();
  storeBehindFence(&record.since, patience.since);
  storeBehindFence(&record.place, notes.channels[what.channel].number |
                                      uint64_t(what.step) << 32);
  storeBehindFence(&record.peer, notes.channels[what.channel].peer |
                                     uint64_t(what.reading) << 32);
  storeBehindFence(&record.expected, what.expected);
  releaseFence();
  storeBehindFence(&record.call,
                   loadRelaxed(notes.calls + state.queue) >> kLaneBits);
}

/// That it is over.
template <typename Block>
BLINK_DEVICE_CALL void tellGoingOn(Block &block, const Patience &patience,
                                   const Awaited &what) {
  LaneState &state = block.state();
  const DeviceNotes &notes = state.program->notes;
  addRelaxed(notes.waited + what.channel, block.nanoseconds() - patience.since);
  exchangeOnce(&state.waited, 1); // by any of the lane's threads
  storeRelaxed(&notes.lanes[state.lane].call, 0);
  releaseFence(); // behind that: the next one that has the record
  exchangeOnce(&state.shown, 0);
}

/// By one thread, after the last wait of a lane with endingLanes: adds what it
/// has waited to the rank's sums, in the device's memory, and shows these. The
/// lanes wait side by side, so that each has a part.
template <typename Block> BLINK_DEVICE_CALL void addWaits(Block &block) {
  const LaneState &state = block.state();
  const DeviceNotes &notes = state.program->notes;
  BLINK_ROLLED
  for (uint32_t o = 0; o < state.numOperands; ++o) {
    const LaneOperand &operand = state.allOperands[o];
    if (operand.kind != OperandKind::channel)
      continue;
    // A channel is one lane's.
    uint64_t *waited = notes.waited + operand.index;
    const uint64_t length = loadRelaxed(waited) / state.endingLanes;
    if (length == 0)
      continue;
    storeRelaxed(waited, 0);
    const uint32_t peer = notes.channels[operand.index].peer;
    storeRelaxed(notes.waits + peer,
                 addRelaxed(notes.sums + peer, length) + length);
  }
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_LANENOTES_H
