//===- FlightPage.h - records of what ranks do ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The layout of the memory in which the ranks of one communicator of a process
// record what they do: plain words without addresses, in a file that other
// processes of the user read while it changes, or after its process has ended.
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
// Each record has a word that says whether the record may be believed. The
// writer clears this word, then stores the other words, each with release, and
// then the word itself, with release. A reader that sees a new value of one of
// the other words therefore sees, if it looks at the word afterwards, that it
// is cleared or newer. So a reader copies the record twice, and accepts it if
// both copies are equal and the word is not 0.
//
// For GPUs, the device itself writes the first two rings, as DeviceCallRecord.
// Ordered stores would cost the device a trip across the bus for each word;
// therefore its words arrive in any order, and one of them is a checksum that
// tells whether the others belong together.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FLIGHT_FLIGHTPAGE_H
#define BLINK_RUNTIME_FLIGHT_FLIGHTPAGE_H

#include "runtime/core/HostDevice.h"

#include <cstddef>
#include <cstdint>

namespace blink::runtime {

/// Changes with the layout; readers ignore files of other versions.
inline constexpr uint64_t kFlightVersion = 2;
inline constexpr uint64_t kFlightMagic = 0x54484749'4c464b42; // "BKFLIGHT"

/// Calls of each kind that are kept of a rank; fewer of each in a process with
/// very many ranks.
inline constexpr uint64_t kFlightCalls = 1024, kFewFlightCalls = 64;
inline constexpr uint64_t kManyRanks = 64;
/// The most queues of messages of a rank that have records.
inline constexpr uint64_t kMostQueues = 256;
/// For GPUs: messages that are kept of a queue, and launches that are kept of a
/// rank.
inline constexpr uint64_t kQueueCalls = 16, kLaunches = 128;

struct alignas(64) FlightHeader {
  uint64_t magic; ///< written last
  uint64_t version;
  uint64_t bytes;        ///< of the whole memory
  uint64_t job;          ///< the same in all processes of the job
  uint64_t process;      ///< its process id
  uint64_t started;      ///< when the process was started, as in /proc/PID/stat
  uint64_t pidNamespace; ///< in which the process id is valid
  uint64_t backend;      ///< blinkBackend_t
  uint64_t numRanks;     ///< of the job
  uint64_t firstRank, numHere;
  uint64_t numLanes;    ///< of a collective
  uint64_t numQueues;   ///< queues of messages, the first ones
  uint64_t numCalls;    ///< collectives kept, a power of two
  uint64_t numMessages; ///< messages kept; for GPUs the same number of each
                        ///< queue
  uint64_t numLaunches; ///< launches kept; 0 if nothing is launched
  uint64_t queueLanes;  ///< of a queue
  uint64_t timeout;     ///< milliseconds
  // The same moment on two clocks:
  uint64_t ticks;       ///< ticks()
  uint64_t nanoseconds; ///< since 1970
};

/// How many calls a rank has begun, on the host. In a cache line of its own.
struct alignas(64) RankCounters {
  uint64_t collectives;
  uint64_t messages;
  // For GPUs, the same moment on two clocks:
  uint64_t deviceTime; ///< the device's, nanoseconds
  uint64_t wallTime;   ///< nanoseconds since 1970
};

/// One call. Times are in ticks().
struct alignas(64) CallRecord {
  uint64_t number; ///< from 1; 0 while the record changes
  uint64_t what;   ///< packKind(); in messages the peer takes the place of the
                   ///< root
  uint64_t count;  ///< elements of a block
  uint64_t how;    ///< operator; in the high half the number of the variant
  uint64_t enqueued;
  uint64_t started;
  uint64_t result; ///< valid once the call has ended
  uint64_t ended;  ///< 0: not ended
};

/// A call that a device has begun. Times are the device's, in nanoseconds.
struct alignas(64) DeviceCallRecord {
  uint64_t number; ///< from 1; messages are counted within their queue
  uint64_t what;   ///< packLaunched(); in the high half the number of the
                   ///< launch, 0 in a graph
  uint64_t count;  ///< elements of a block; bytes of a message
  uint64_t variant;
  uint64_t started;
  uint64_t check; ///< checkOf() the words before
  uint64_t ended; ///< endOf(); with any other value the call has not ended
  uint64_t unused;
};

/// Returns a checksum. Two records that differ have different ones, except by
/// chance.
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

/// Encodes the end of call `number` in one word. The number is part of it, so
/// that the word is not mistaken for that of the call that had the same place
/// before.
inline constexpr unsigned kEndBits = 48;
BLINK_HOST_DEVICE inline uint64_t endOf(uint64_t number, uint64_t time) {
  return number << kEndBits | (time & ((uint64_t(1) << kEndBits) - 1));
}

/// What a lane waits for.
struct alignas(64) LaneRecord {
  uint64_t call; ///< number of its call; 0: the lane waits for nothing
  uint64_t lane; ///< the lane; in the high half the step
  uint64_t channel;
  uint64_t peer;
  uint64_t reading; ///< 1: waits for a chunk of the peer; 0: for a slot that
                    ///< the peer has read
  uint64_t expected, seen;
  uint64_t since; ///< in ticks()
};

/// What a lane of a device waits for, in fewer words.
struct alignas(64) DeviceLaneRecord {
  uint64_t call;
  uint64_t place; ///< the channel; in the high half the step
  uint64_t peer;  ///< the peer; in the high half LaneRecord::reading
  uint64_t expected;
  uint64_t since; ///< as in DeviceCallRecord
  uint64_t lane;  ///< never changes
  uint64_t unused[2];
};

static_assert(sizeof(FlightHeader) == 192 && sizeof(RankCounters) == 64 &&
                  sizeof(CallRecord) == 64 && sizeof(LaneRecord) == 64 &&
                  sizeof(DeviceCallRecord) == sizeof(CallRecord) &&
                  sizeof(DeviceLaneRecord) == sizeof(LaneRecord),
              "whole lines");

/// Offsets of all parts in bytes, from the beginning of a rank's part.
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

/// More than any job's number of ranks or lanes: a file with such a number is
/// not valid.
inline constexpr uint64_t kMostInFlight = 1 << 20;

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_FLIGHTPAGE_H
