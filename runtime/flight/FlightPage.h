//===- FlightPage.h - what a rank is at, for whoever asks -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The layout of the memory in which the ranks of one communicator of a process
// say what they do: plain words, without addresses, in a file that other
// processes of the user read while it changes, or after its process is gone.
//
//   FlightHeader
//   of each rank here:  RankCounters
//                       CallRecord      its last collectives, a ring
//                       CallRecord      its last messages, a ring
//                       CallRecord      of GPUs: what it has launched, a ring
//                       LaneRecord      of each lane of a collective
//                       LaneRecord      of each lane of each queue of messages
//                       uint64_t        waits in collectives for each peer
//                       uint64_t        waits in messages for each peer
//
// Each record has a word of its own that says whether it may be believed. Its
// writer clears the word, then stores the rest, each with release, then the
// word, with release: who sees a new word of the rest sees the cleared one, or
// a later one, if it looks again. So a reader copies the record twice, and has
// it if both copies are alike and the word is not 0.
//
// Of GPUs the device itself writes the first two rings, as DeviceCallRecord:
// order would cost it a trip across the bus for each word, so that its words
// come in any order, and one of them tells whether the others belong together.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FLIGHT_FLIGHTPAGE_H
#define BLINK_RUNTIME_FLIGHT_FLIGHTPAGE_H

#include "runtime/core/HostDevice.h"

#include <cstddef>
#include <cstdint>

namespace blink::runtime {

/// Changes with the layout: readers leave what they do not know.
inline constexpr uint64_t kFlightVersion = 2;
inline constexpr uint64_t kFlightMagic = 0x54484749'4c464b42; // "BKFLIGHT"

/// Calls of each kind that are kept of a rank; fewer of each where a process
/// has very many.
inline constexpr uint64_t kFlightCalls = 1024, kFewFlightCalls = 64;
inline constexpr uint64_t kManyRanks = 64;
/// Queues of messages that have records, of each rank.
inline constexpr uint64_t kMostQueues = 256;
/// Of GPUs: messages of a queue that are kept, and launches of a rank.
inline constexpr uint64_t kQueueCalls = 16, kLaunches = 128;

struct alignas(64) FlightHeader {
  uint64_t magic; ///< the last word to be written
  uint64_t version;
  uint64_t bytes;        ///< of all
  uint64_t job;          ///< the same in all processes of the job
  uint64_t process;      ///< its number
  uint64_t started;      ///< when it was, as /proc/PID/stat has it
  uint64_t pidNamespace; ///< in which it has the number
  uint64_t backend;      ///< blinkBackend_t
  uint64_t numRanks;     ///< of the job
  uint64_t firstRank, numHere;
  uint64_t numLanes;    ///< of a collective
  uint64_t numQueues;   ///< of messages, the first ones
  uint64_t numCalls;    ///< collectives kept, a power of two
  uint64_t numMessages; ///< kept; of GPUs as many of each queue
  uint64_t numLaunches; ///< kept; 0 where nothing is launched
  uint64_t queueLanes;  ///< of a queue
  uint64_t timeout;     ///< milliseconds
  // One moment by two clocks:
  uint64_t ticks;       ///< ticks()
  uint64_t nanoseconds; ///< since 1970
};

/// How many a rank has begun, on the host. In a line of its own.
struct alignas(64) RankCounters {
  uint64_t collectives;
  uint64_t messages;
  // Of GPUs one moment by two clocks:
  uint64_t deviceTime; ///< the device's, nanoseconds
  uint64_t wallTime;   ///< nanoseconds since 1970
};

/// One call. Times are ticks().
struct alignas(64) CallRecord {
  uint64_t number; ///< from 1; 0 while it changes
  uint64_t what;   ///< packKind(); of a message its peer is the root
  uint64_t count;  ///< elements of a block
  uint64_t how;    ///< operator, and in the high half the variant's number
  uint64_t enqueued;
  uint64_t started;
  uint64_t result; ///< once it has ended
  uint64_t ended;  ///< 0: it has not
};

/// A call that a device has begun. Times are the device's, in nanoseconds.
struct alignas(64) DeviceCallRecord {
  uint64_t number; ///< of a message among those of its queue; from 1
  uint64_t what;   ///< packLaunched(); in the high half the number of its
                   ///< launch, 0 in a graph
  uint64_t count;  ///< elements of a block; bytes of a message
  uint64_t variant;
  uint64_t started;
  uint64_t check; ///< checkOf() the words before
  uint64_t ended; ///< endOf(); anything else: it has not
  uint64_t unused;
};

/// No two records that differ have the same, but by chance.
BLINK_HOST_DEVICE inline uint64_t checkOf(const DeviceCallRecord &record) {
  const uint64_t words[] = {record.what, record.count, record.variant,
                            record.started};
  uint64_t sum = record.number;
  for (uint64_t word : words) {
    sum = (sum ^ word) * 0x9e3779b97f4a7c15;
    sum ^= sum >> 32;
  }
  return sum;
}

/// That call `number` has ended, in a word, so that it is not mistaken for what
/// is left of the one that had its place before.
inline constexpr unsigned kEndBits = 48;
BLINK_HOST_DEVICE inline uint64_t endOf(uint64_t number, uint64_t time) {
  return number << kEndBits | (time & ((uint64_t(1) << kEndBits) - 1));
}

/// What a lane waits for.
struct alignas(64) LaneRecord {
  uint64_t call; ///< the number of its call; 0: it waits for nothing
  uint64_t lane; ///< and in the high half the step
  uint64_t channel;
  uint64_t peer;
  uint64_t reading; ///< 1: a chunk of the peer; 0: a slot that it has read
  uint64_t expected, seen;
  uint64_t since; ///< ticks()
};

/// Likewise of a device, in few words.
struct alignas(64) DeviceLaneRecord {
  uint64_t call;
  uint64_t place; ///< the channel, and in the high half the step
  uint64_t peer;  ///< and in the high half LaneRecord::reading
  uint64_t expected;
  uint64_t since; ///< as DeviceCallRecord
  uint64_t lane;  ///< never changes
  uint64_t unused[2];
};

static_assert(sizeof(FlightHeader) == 192 && sizeof(RankCounters) == 64 &&
                  sizeof(CallRecord) == 64 && sizeof(LaneRecord) == 64 &&
                  sizeof(DeviceCallRecord) == sizeof(CallRecord) &&
                  sizeof(DeviceLaneRecord) == sizeof(LaneRecord),
              "whole lines");

/// Where all that is: offsets in bytes, from the begin of a rank's part.
struct FlightLayout {
  explicit FlightLayout(const FlightHeader &header)
      : collectives(sizeof(RankCounters)),
        messages(collectives + header.numCalls * sizeof(CallRecord)),
        launches(messages + header.numMessages * sizeof(CallRecord)),
        lanes(launches + header.numLaunches * sizeof(CallRecord)),
        queues(lanes + header.numLanes * sizeof(LaneRecord)),
        waits(queues +
              header.numQueues * header.queueLanes * sizeof(LaneRecord)),
        bytes((waits + 2 * header.numRanks * sizeof(uint64_t) + 63) / 64 * 64) {
  }

  uint64_t offsetOf(uint64_t rankHere) const {
    return sizeof(FlightHeader) + rankHere * bytes;
  }

  uint64_t collectives, messages, launches, lanes, queues, waits;
  uint64_t bytes; ///< of a rank's part
};

/// More than any job has, of ranks and lanes: a file that says so is none.
inline constexpr uint64_t kMostInFlight = 1 << 20;

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_FLIGHTPAGE_H
