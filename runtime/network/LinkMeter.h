//===- LinkMeter.h - how fast a connection is when it is full ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A connection that carries a tenth of what the schedule plans is alive, but
// makes every call ten times as long. Unlike a connection whose other end is
// late, it has chunks that wait at the writer while chunks that were sent have
// not arrived.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_NETWORK_LINKMETER_H
#define BLINK_RUNTIME_NETWORK_LINKMETER_H

#include <chrono>
#include <cstdint>
#include <string>

namespace blink::runtime::network {

/// Measures one connection, in the direction away from here. Not synchronised.
class LinkMeter {
public:
  using Clock = std::chrono::steady_clock;

  /// The connection must have been full for this long, over any number of
  /// calls, to have a rate.
  static constexpr std::chrono::milliseconds kLongEnough{1000};

  /// Chunks of a ring begin to wait for their window, or no longer wait. By the
  /// schedule the ring has `rate` bytes a second.
  void begin(Clock::time_point now, double rate);
  void end(Clock::time_point now, double rate);
  /// To be called now and then, with the bytes of chunks that were sent, and
  /// the bytes of these that the other end has confirmed. If both are equal,
  /// waiting chunks wait for a reader, and may have done so before; the
  /// measurement then starts again. Returns true if the connection was full for
  /// kLongEnough since the last time it returned true: rate() and plan() are of
  /// that time.
  bool look(Clock::time_point now, uint64_t sent, uint64_t there);

  double rate() const { return rate_; } ///< bytes a second
  double plan() const { return plan_; }

  /// Totals over all such times.
  double seconds() const { return totalSeconds_; }
  uint64_t bytes() const { return totalBytes_; }

private:
  void pass(Clock::time_point now);
  void restart(uint64_t there);

  unsigned waiting_ = 0; ///< rings
  double waitingRate_ = 0;
  Clock::time_point last_;
  double seconds_ = 0, planned_ = 0; ///< time it was full, and bytes planned
                                     ///< for it
  uint64_t thereBefore_ = 0;
  double rate_ = 0, plan_ = 0;
  double totalSeconds_ = 0;
  uint64_t totalBytes_ = 0;
};

/// Returns "24.9 MB", for bytes or bytes a second.
std::string megabytes(double bytes);

} // namespace blink::runtime::network

#endif // BLINK_RUNTIME_NETWORK_LINKMETER_H
