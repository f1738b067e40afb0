//===- FairShares.h - links that share themselves fairly --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SUPPORT_FAIRSHARES_H
#define BLINK_COMPILER_SUPPORT_FAIRSHARES_H

#include "compiler/support/Infinity.h"

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace blink {

/// Transfers over links, at most one on each of some channels. Links are
/// divided max-min fairly (Bertsekas and Gallager, "Data Networks", 1992,
/// section 6.5.2): no transfer could be faster without slowing one down that is
/// no faster itself. Transfers may have weights; "faster" then means for its
/// weight. Bandwidths are in units of size by units of time.
///
/// A start, an end or another weight divides anew only what it can touch: the
/// transfers that share a link with it, those that share one with these, and so
/// on.
class FairShares {
public:
  /// `paths`: the links of each channel; one that is there twice is loaded
  /// twice. `bandwidths`: of each link.
  FairShares(std::vector<std::vector<uint32_t>> paths,
             std::vector<double> bandwidths);

  /// A time in which a transfer had one rate.
  struct Span {
    uint32_t channel;
    double rate, begin, end;
  };
  /// From now on tells of each that is over, in the order of their ends.
  void watch(std::function<void(const Span &)> watcher) {
    watcher_ = std::move(watcher);
  }

  /// From `now` on, channel `channel`, which is idle and has a path, transfers
  /// so much.
  void start(uint32_t channel, double size, double now, double weight = 1);
  /// The transfer of a channel that is not idle has this weight now.
  void weigh(uint32_t channel, double weight);
  /// When the next transfer ends if none begins before; infinite if there is
  /// none. `now`: the time of the last start, end or other weight.
  double nextEnd(double now);
  /// Takes out the channels whose transfers have ended by `now`, which is at
  /// most nextEnd(). Ascending. Valid until the next call.
  const std::vector<uint32_t> &finish(double now);

private:
  struct Transfer {
    double left = 0; ///< at `since`
    double rate = 0;
    double weight = 1;
    double since = 0;
    double end = kInfinity;    ///< as things stand; infinite: there is none
    double queued = kInfinity; ///< its earliest time in ends_
    bool divided = true;       ///< by the divide() that goes on
  };
  struct End {
    double time;
    uint32_t channel;
    bool operator>(const End &other) const {
      return time != other.time ? time > other.time : channel > other.channel;
    }
  };
  struct Link {
    std::vector<uint32_t> transfers; ///< channels
    // Of the divide() that goes on.
    double free = 0;
    size_t open = 0;   ///< transfers without a rate
    double weight = 0; ///< of these
    bool reached = false;
  };
  void queue(uint32_t channel);
  const End *firstEnd();
  void touch(uint32_t link);
  void reach();
  void divide(double now);
  void setRate(uint32_t channel, double rate, double now);
  void tell(uint32_t channel, double now) const;

  std::function<void(const Span &)> watcher_;
  const std::vector<std::vector<uint32_t>> paths_;
  const std::vector<double> bandwidths_;
  std::vector<Transfer> transfers_; ///< by channel
  std::vector<Link> links_;
  std::vector<uint32_t> touched_; ///< links whose shares are not what they were
  std::vector<uint32_t> ended_;
  /// Of each transfer its end, or a time before.
  std::priority_queue<End, std::vector<End>, std::greater<End>> ends_;
};

} // namespace blink

#endif // BLINK_COMPILER_SUPPORT_FAIRSHARES_H
