//===- FairShares.h - links that share themselves fairly --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SUPPORT_FAIRSHARES_H
#define BLINK_COMPILER_SUPPORT_FAIRSHARES_H

#include "compiler/support/FirstTime.h"
#include "compiler/support/PathTransfers.h"

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
/// on. Those of one path cost as much as one. Where as much begins on a path as
/// ends there at the same time, as where chunk follows chunk, nothing is.
class FairShares {
public:
  /// `paths`: the links of each channel; one that is there twice is loaded
  /// twice. `bandwidths`: of each link.
  FairShares(const std::vector<std::vector<uint32_t>> &paths,
             std::vector<double> bandwidths);

  /// A time in which a transfer had one rate.
  struct Span {
    uint32_t channel;
    double rate, begin, end;
  };
  /// From now on, which is before the first start, tells of each that is over,
  /// in the order of their ends.
  void watch(std::function<void(const Span &)> watcher);

  /// From `now` on, channel `channel`, which is idle and has a path, transfers
  /// so much.
  void start(uint32_t channel, double size, double now, double weight = 1);
  /// From `now` on, the transfer of a channel that is not idle has this weight.
  void weigh(uint32_t channel, double weight, double now);
  /// When the next transfer ends if none begins before; infinite if there is
  /// none. `now`: the time of the last start, end or other weight.
  double nextEnd(double now);
  /// Takes out the channels whose transfers have ended by `now`, which is at
  /// most nextEnd(). Ascending. Valid until the next call.
  const std::vector<uint32_t> &finish(double now);

private:
  struct Path {
    std::vector<uint32_t> links;
    std::vector<uint32_t> repeated; ///< each once, if some are there twice
    PathTransfers transfers;
    bool changed = false; ///< is in changed_
    // Of the last divide().
    double weight = 0, share = 0;
    bool divided = true; ///< by the one that goes on
  };
  struct Link {
    double bandwidth = 0;
    std::vector<uint32_t> paths; ///< with transfers
    // Of the divide() that goes on.
    double free = 0;
    size_t open = 0;   ///< paths without a share
    double weight = 0; ///< of these
    bool reached = false;

    double level() const { return free / weight; }
  };
  /// What a link gives for a weight of 1.
  struct Level {
    double share;
    uint32_t link;
    bool operator>(const Level &other) const {
      return share != other.share ? share > other.share : link > other.link;
    }
  };

  void change(uint32_t path);
  void enter(uint32_t path);
  void leave(uint32_t path);
  void touch(const Path &path);
  void touchChanged(double now);
  void divideAlone(double now);
  void reach();
  void fill(const Link &link, double share, double now);
  void fillFew(double now);
  void fillMany(double now);
  void divide(double now);
  void setShare(uint32_t path, double share, double now);
  void give(uint32_t path, double share, double now);
  void tell(uint32_t channel, double rate, double now);

  std::function<void(const Span &)> watcher_;
  std::vector<double> toldUntil_; ///< by channel, if there is a watcher
  std::vector<uint32_t> pathOf_;  ///< by channel
  std::vector<double> weights_;   ///< by channel
  std::vector<Path> paths_;       ///< each once
  std::vector<Link> links_;
  std::vector<uint32_t> changed_; ///< paths with starts, ends or other weights
  std::vector<uint32_t> touched_; ///< links whose shares are not what they were
  std::vector<uint32_t> open_;    ///< of these, those with open paths
  std::vector<uint32_t> ended_;
  FirstTime ends_; ///< of each path its first transfer's, as things stand
  std::priority_queue<Level, std::vector<Level>, std::greater<Level>> levels_;
};

} // namespace blink

#endif // BLINK_COMPILER_SUPPORT_FAIRSHARES_H
