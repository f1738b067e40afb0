//===- FlightRecorder.h - recording what a rank does ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The writing side of FlightPage.h. Every call passes through it, so it does
// only a dozen stores to cache lines that no other thread writes: no locks, no
// system calls.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FLIGHT_FLIGHTRECORDER_H
#define BLINK_RUNTIME_FLIGHT_FLIGHTRECORDER_H

#include "runtime/core/Memory.h"
#include "runtime/flight/FlightPage.h"
#include "runtime/flight/Ticks.h"
#include "runtime/plan/Call.h"

#include <algorithm>

namespace blink::runtime {

/// Packs a CallKind without its count and operator into a word: the collective,
/// the type, whether a message is sent, and in the high half the root or the
/// peer.
inline uint64_t packKind(const CallKind &kind, int32_t other, bool sends) {
  return uint64_t(kind.collective) | uint64_t(uint32_t(kind.type)) << 8 |
         uint64_t(sends) << 16 | uint64_t(uint32_t(other)) << 32;
}
inline uint64_t packKind(const Call &call) {
  return call.isMessage() ? packKind(call.kind, call.peer, call.send)
                          : packKind(call.kind, call.kind.root, false);
}

/// Packs what a kernel is told of a call into half a word: as packKind(), and
/// the operator, but neither the peer nor the direction of a message, which
/// follow from its queue.
inline uint32_t packLaunched(const CallKind &kind) {
  return uint32_t(kind.collective) | uint32_t(kind.type) << 5 |
         uint32_t(kind.op) << 10 | uint32_t(kind.root) << 16;
}

/// The recorder of one rank. Collectives take turns, and so do the messages of
/// a queue; messages of different queues come from several threads at the same
/// time.
class FlightRecorder {
public:
  FlightRecorder(char *memory, const FlightHeader &header,
                 const FlightLayout &layout)
      : counters_(reinterpret_cast<RankCounters *>(memory)),
        collectives_(at<CallRecord>(layout.collectives)),
        messages_(at<CallRecord>(layout.messages)),
        launches_(at<CallRecord>(layout.launches)),
        lanes_(at<LaneRecord>(layout.lanes)),
        queues_(at<LaneRecord>(layout.queues)),
        waits_(at<uint64_t>(layout.waits)), numRanks_(header.numRanks),
        numQueues_(header.numQueues), callMask_(header.numCalls - 1),
        numMessages_(header.numMessages), numLaunches_(header.numLaunches) {}

  /// The record of a call that has begun, and its number.
  struct Begun {
    CallRecord *record = nullptr;
    uint64_t number = 0;
  };

  /// Records a call that was made at `enqueued` and has begun at `started`.
  Begun begin(const Call &call, uint32_t variant, uint64_t enqueued,
              uint64_t started) {
    if (call.isMessage())
      return beginMessage(call, variant, enqueued, started);
    const uint64_t number =
        1 + counters_->collectives; // only this thread writes it
    CallRecord &record = collectives_[number & callMask_];
    write(record, number, packKind(call.kind, call.kind.root, false), call.kind,
          variant, enqueued, started);
    // Release: a reader that sees the number finds the record.
    storeRelease(&counters_->collectives, number);
    // The next call's record is not in the first-level cache.
    __builtin_prefetch(&collectives_[(number + 1) & callMask_], 1);
    return {&record, number};
  }

  /// Records a call that has been put into a stream as launch `number` of this
  /// process; for calls that run on devices. Launches take turns.
  void launch(uint64_t number, const Call &call, uint32_t variant,
              uint64_t now) {
    write(launches_[launched_++ % numLaunches_], number, packKind(call),
          call.kind, variant, now, 0);
  }

  /// Records the end of a call, as seen at `now`, unless so many messages have
  /// begun since that one of them has its record.
  static void end(const Begun &call, blinkResult_t result, uint64_t now) {
    if (loadRelaxed(&call.record->number) != call.number)
      return;
    storeRelaxed(&call.record->result, uint64_t(result));
    storeRelease(&call.record->ended, now); // release: publishes the result
  }

  /// Adds `ticks` for which a call has waited for `peer`.
  void addWait(bool message, int peer, uint64_t ticks) {
    uint64_t &sum = waits_[(message ? numRanks_ : 0) + uint64_t(peer)];
    // Both relaxed: no other data depends on the sum.
    if (message) // of several queues
      __atomic_fetch_add(&sum, ticks, __ATOMIC_RELAXED);
    else
      storeRelaxed(&sum, sum + ticks);
  }
  /// Returns how long this rank has waited for `peer`, in ticks.
  uint64_t waitedFor(int peer) const {
    return loadRelaxed(&waits_[peer]) +
           loadRelaxed(&waits_[numRanks_ + uint64_t(peer)]);
  }
  /// Return the number of calls that have begun.
  uint64_t collectives() const {
    return numLaunches_ == 0 ? loadRelaxed(&counters_->collectives)
                             : newest(collectives_, callMask_ + 1);
  }
  uint64_t messages() const {
    if (numLaunches_ == 0)
      return loadRelaxed(&counters_->messages);
    uint64_t sum = 0;
    for (uint64_t first = 0; first < numMessages_; first += kQueueCalls)
      sum += newest(messages_ + first, kQueueCalls);
    return sum;
  }

  /// The parts that a device writes.
  RankCounters &counters() const { return *counters_; }
  DeviceCallRecord *deviceCalls(bool messages) const {
    return reinterpret_cast<DeviceCallRecord *>(messages ? messages_
                                                         : collectives_);
  }
  DeviceLaneRecord *deviceLanes(bool messages) const {
    return reinterpret_cast<DeviceLaneRecord *>(messages ? queues_ : lanes_);
  }
  uint64_t *waits(bool messages) const {
    return waits_ + (messages ? numRanks_ : 0);
  }

  /// Records what a lane waits for: in a collective the `place`-th lane, in a
  /// message the lane of its queue. Only the thread that made the call may call
  /// this.
  void show(const Call &call, size_t place, const LaneRecord &wait) {
    LaneRecord *const at = recordOf(call, place);
    if (!at)
      return;
    LaneRecord &record = *at;
    storeRelaxed(&record.call, 0);
    // Each with release: see FlightPage.h.
    storeRelease(&record.lane, wait.lane);
    storeRelease(&record.channel, wait.channel);
    storeRelease(&record.peer, wait.peer);
    storeRelease(&record.reading, wait.reading);
    storeRelease(&record.expected, wait.expected);
    storeRelease(&record.seen, wait.seen);
    storeRelease(&record.since, wait.since);
    storeRelease(&record.call, wait.call);
  }
  /// Records that the lane no longer waits.
  void hide(const Call &call, size_t place) {
    if (LaneRecord *const record = recordOf(call, place))
      storeRelaxed(&record->call, 0);
  }

private:
  // Not inline, because begin() is part of a loop that has to be small.
  [[gnu::noinline]] Begun beginMessage(const Call &call, uint32_t variant,
                                       uint64_t enqueued, uint64_t started) {
    // Relaxed: the counter only hands out places. After as many messages as the
    // ring has places, another thread may get the place of a message that has
    // not ended. The record is then a mixture of both, but each of its words is
    // one that some thread stored.
    const uint64_t number =
        1 +
        __atomic_fetch_add(&counters_->messages, uint64_t(1), __ATOMIC_RELAXED);
    CallRecord &record = messages_[number & callMask_];
    write(record, number, packKind(call.kind, call.peer, call.send), call.kind,
          variant, enqueued, started);
    return {&record, number};
  }
  static void write(CallRecord &record, uint64_t number, uint64_t what,
                    const CallKind &kind, uint32_t variant, uint64_t enqueued,
                    uint64_t started) {
    storeRelaxed(&record.number, 0);
    // Each with release: see FlightPage.h.
    storeRelease(&record.what, what);
    storeRelease(&record.count, kind.count);
    storeRelease(&record.how, uint64_t(uint32_t(kind.op)) | uint64_t(variant)
                                                                << 32);
    storeRelease(&record.enqueued, enqueued);
    storeRelease(&record.started, started);
    storeRelease(&record.ended, 0);
    storeRelease(&record.number, number);
  }
  /// Returns the highest number among a device's calls, including any whose
  /// record is incomplete.
  static uint64_t newest(const CallRecord *calls, uint64_t count) {
    uint64_t number = 0;
    for (uint64_t i = 0; i < count; ++i)
      number = std::max(number, loadRelaxed(&calls[i].number));
    return number;
  }
  template <typename T> T *at(uint64_t offset) const {
    return reinterpret_cast<T *>(reinterpret_cast<char *>(counters_) + offset);
  }
  /// Returns null if the lane has no record.
  LaneRecord *recordOf(const Call &call, size_t place) const {
    if (!call.isMessage())
      return &lanes_[place];
    const auto queue = uint64_t(call.queue() - 1);
    return queue < numQueues_ ? &queues_[queue] : nullptr;
  }

  RankCounters *counters_;
  CallRecord *collectives_, *messages_, *launches_;
  LaneRecord *lanes_, *queues_;
  uint64_t *waits_;
  uint64_t numRanks_, numQueues_, callMask_, numMessages_, numLaunches_;
  uint64_t launched_ = 0;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_FLIGHTRECORDER_H
