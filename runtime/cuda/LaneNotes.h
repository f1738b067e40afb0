//===- LaneNotes.h - a lane says what it is at ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The writing side of flight/FlightPage.h on devices: stores to host memory
// that no lane waits for.
//
// Lane 0 of a call says that it has begun. The call has ended when all its
// lanes are done, which they count in a word in the device's memory; a message
// has ended when its first lane is done. That word also counts calls, including
// those that a graph launches again, of which the host is not told.
//
// Only a lane that has waited long says what it waits for, and at the end for
// how long it has waited. A lane that gives up leaves the record as it is, for
// the error's sentence.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_LANENOTES_H
#define BLINK_RUNTIME_CUDA_LANENOTES_H

#include "runtime/core/Memory.h"
#include "runtime/cuda/LaneState.h"

namespace blink::runtime {

/// Nanoseconds after which a wait is shown.
inline constexpr uint64_t kToldAfter = 2000000;

/// A word of DeviceNotes::calls holds the number of calls that have begun,
/// above kLaneBits bits that count the lanes that are done.
inline constexpr unsigned kLaneBits = 16;
inline constexpr uint64_t kOneCall = uint64_t(1) << kLaneBits;

/// Counts a call and returns its number, for noteBegin(). Called by one thread
/// of lane 0.
BLINK_DEVICE inline uint64_t countCall(const DeviceNotes &notes,
                                       uint32_t queue) {
  return 1 + (addRelaxed(notes.calls + queue, kOneCall) >> kLaneBits);
}

/// Says that the call has begun.
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
  // All relaxed: the record's checksum shows whether its words belong together.
  storeRelaxed(&note.number, record.number);
  storeRelaxed(&note.what, record.what);
  storeRelaxed(&note.count, record.count);
  storeRelaxed(&note.variant, record.variant);
  storeRelaxed(&note.started, record.started);
  storeRelaxed(&note.check, record.check);
}

/// Counts the lane as done; the last of `lanes` lanes says that the call has
/// ended. Called by one thread of each lane.
template <typename Block>
BLINK_DEVICE inline void noteEnd(Block &block, const DeviceNotes &notes,
                                 uint32_t queue, uint64_t lanes) {
  const uint64_t before = addRelaxed(notes.calls + queue, 1);
  if ((before & (kOneCall - 1)) + 1 != lanes)
    return;
  addRelaxed(notes.calls + queue, -lanes);
  const uint64_t number = before >> kLaneBits;
  // A single word, complete in itself.
  storeRelaxed(&notes.recordOf(queue, number).ended,
               endOf(number, block.nanoseconds()));
}

/// How long a thread has waited, and how much of that it has shown.
struct Patience {
  uint32_t looks = 0;
  uint64_t since = 0;
  LaneReport::Reason reason = LaneReport::none;
  bool isLong = false; ///< it is time for tellWait()
  bool shown = false;  ///< the wait is in the lane's record
};

/// Shows what a thread of the lane waits for, unless another thread's wait is
/// shown. Folds leave few registers for these functions, so the waits are
/// summed only when the lane is done.
template <typename Block>
BLINK_DEVICE_CALL void tellWait(Block &block, Patience &patience,
                                const Awaited &what) {
  patience.isLong = false;
  LaneState &state = block.state();
  const DeviceNotes &notes = state.program->notes;
  if (patience.shown || !exchangeOnce(&state.shown, 1))
    return;
  patience.shown = true;
  if (state.lane >= notes.numLanes)
    return; // a lane of messages with one of many ranks
  DeviceLaneRecord &record = notes.lanes[state.lane];
  storeRelaxed(&record.call, 0);
  // In this order, each store after the one before it: see FlightPage.h.
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

/// Says that the wait is over.
template <typename Block>
BLINK_DEVICE_CALL void tellGoingOn(Block &block, const Patience &patience,
                                   const Awaited &what) {
  LaneState &state = block.state();
  const DeviceNotes &notes = state.program->notes;
  addRelaxed(notes.waited + what.channel, block.nanoseconds() - patience.since);
  exchangeOnce(&state.waited, 1); // several threads of the lane may do so
  if (state.lane < notes.numLanes)
    storeRelaxed(&notes.lanes[state.lane].call, 0);
  releaseFence(); // orders it before the stores of the record's next user
  exchangeOnce(&state.shown, 0);
}

/// Adds what the lane has waited to the rank's sums in the device's memory, and
/// shows these. Called by one thread, after the last wait of a lane with
/// endingLanes. The time is divided by the number of lanes, which wait side by
/// side.
template <typename Block> BLINK_DEVICE_CALL void addWaits(Block &block) {
  const LaneState &state = block.state();
  const DeviceNotes &notes = state.program->notes;
  BLINK_ROLLED
  for (uint32_t o = 0; o < state.numOperands; ++o) {
    const LaneOperand &operand = state.allOperands[o];
    if (operand.kind != OperandKind::channel)
      continue;
    // Only one lane uses a channel.
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
