//===- Picture.h - what the ranks of a job do -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Plain data: readers of FlightPage.h fill it in, and diagnose() judges it.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FLIGHT_PICTURE_H
#define BLINK_RUNTIME_FLIGHT_PICTURE_H

#include "runtime/flight/Liveness.h"
#include "runtime/plan/Call.h"

#include <string>
#include <vector>

namespace blink::runtime {

/// Times are nanoseconds since 1970; 0: not yet.
struct CallPicture {
  uint64_t number = 0; ///< among the rank's collectives or messages, from 1;
                       ///< for GPUs, among the messages of one peer and
                       ///< direction
  CallKind kind;
  int peer = -1; ///< of a message
  bool send = false;
  uint32_t variant = 0;
  uint64_t enqueued = 0, started = 0, ended = 0;
  blinkResult_t result = blinkSuccess; ///< valid once the call has ended

  bool isMessage() const { return peer >= 0; }
  bool underWay() const { return started != 0 && ended == 0; }
  /// Returns "allreduce of 5 float32 with sum", or "message of 5 float32 to
  /// rank 3".
  std::string describe() const;
};

struct WaitPicture {
  bool message = false; ///< waits in a message, otherwise in a collective
  uint64_t call = 0;    ///< number of the call
  uint32_t lane = 0, step = 0, channel = 0;
  int peer = 0;
  bool reading = false; ///< for a chunk of the peer; otherwise for a free slot
                        ///< there
  uint64_t expected = 0, seen = 0;
  uint64_t since = 0;
};

struct RankPicture {
  bool known = false; ///< if false, only the rank's number is known
  bool seen = true;   ///< if false, other ranks have reported its last
                      ///< collective, and it is not known whether that is under
                      ///< way
  uint64_t process = 0;
  Liveness liveness = Liveness::unknown;
  uint64_t collectives = 0, messages = 0; ///< begun by the rank
  std::vector<CallPicture> calls;         ///< collectives kept, oldest first
  std::vector<CallPicture> sent;          ///< messages kept, oldest first
  std::vector<CallPicture> launched;      ///< not begun by the rank's GPU yet;
                                          ///< numbers are those of launches
  std::vector<WaitPicture> waits;         ///< of calls that are under way
  std::vector<uint64_t> waitedFor;        ///< nanoseconds, for each rank

  /// Returns the collective with this number, or null if it is not kept.
  const CallPicture *call(uint64_t number) const;
  /// Returns the collective that is under way, or null.
  const CallPicture *current() const;
  /// Returns the first collective that the GPU has not begun, or null.
  const CallPicture *launchedCollective() const;
  /// Returns true if a call is under way.
  bool inCall() const;
};

struct JobPicture {
  uint64_t job = 0; ///< by which the job's processes identify it
  blinkBackend_t backend = blinkBackendHost;
  uint64_t timeout = 0; ///< milliseconds
  uint64_t taken = 0;   ///< when the picture was taken
  std::vector<RankPicture> ranks;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_PICTURE_H
