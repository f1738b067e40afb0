//===- LinkMeter.h - how fast a connection is when it is full ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A connection that carries a tenth of what the schedule plans is alive, and
// makes every call ten times as long. What tells it from one whose other end is
// late: chunks wait at the writer while those that have left it are not there.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_NETWORK_LINKMETER_H
#define BLINK_RUNTIME_NETWORK_LINKMETER_H

#include <chrono>
#include <cstdint>
#include <string>

namespace blink::runtime::network {

/// Of one connection, in the direction away from here. Not synchronised.
class LinkMeter {
public:
  using Clock = std::chrono::steady_clock;

  /// It has a rate when it was full for so long, over any number of calls.
  static constexpr std::chrono::milliseconds kLongEnough{1000};

  /// Chunks of a ring wait for their window, which has `rate` bytes a second
  /// by the schedule; and none do any more.
  void begin(Clock::time_point now, double rate);
  void end(Clock::time_point now, double rate);
  /// To be called now and then: the bytes of chunks that were sent, and of
  /// these the ones that the other end has said to have. If that is all, what
  /// waits waits for a reader, and so may it have done before. True if the
  /// connection was full for kLongEnough since it last was: rate() and plan()
  /// are of that time.
  bool look(Clock::time_point now, uint64_t sent, uint64_t there);

  double rate() const { return rate_; } ///< bytes a second
  double plan() const { return plan_; }

  /// Of all such times.
  double seconds() const { return totalSeconds_; }
  uint64_t bytes() const { return totalBytes_; }

private:
  void pass(Clock::time_point now);
  void restart(uint64_t there);

  unsigned waiting_ = 0; ///< rings
  double waitingRate_ = 0;
  Clock::time_point last_;
  double seconds_ = 0, planned_ = 0; ///< full for, and bytes
  uint64_t thereBefore_ = 0;
  double rate_ = 0, plan_ = 0;
  double totalSeconds_ = 0;
  uint64_t totalBytes_ = 0;
};

/// "24.9 MB", of bytes or bytes a second.
std::string megabytes(double bytes);

} // namespace blink::runtime::network

#endif // BLINK_RUNTIME_NETWORK_LINKMETER_H
