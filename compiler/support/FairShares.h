//===- FairShares.h - max-min fair sharing of links -------------*- C++ -*-===//
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

/// Transfers over links, on some channels with at most one transfer each. Links
/// are divided max-min fairly (Bertsekas and Gallager, "Data Networks", 1992,
/// section 6.5.2): no transfer could be faster without slowing down one that is
/// no faster itself. Transfers may have weights; "faster" is then relative to
/// the weight. Bandwidths are in units of size per unit of time.
///
/// A start, an end or a new weight divides only those links anew that it can
/// affect: those of transfers that share a link with it, those of transfers
/// that share a link with these, and so on. All transfers on one path together
/// cost as much as one. No link is divided anew if the transfers that start on
/// a path have the same weight as those that end there at the same time, for
/// example when one chunk follows another.
class FairShares {
public:
  /// `paths` holds the links of each channel; a link that occurs twice is
  /// loaded twice. `bandwidths` holds the bandwidth of each link.
  FairShares(const std::vector<std::vector<uint32_t>> &paths,
             std::vector<double> bandwidths);

  /// A time span in which a transfer had one rate.
  struct Span {
    uint32_t channel;
    double rate, begin, end;
  };
  /// Calls `watcher` with each span that has ended, in the order of their ends.
  /// Must be called before the first start().
  void watch(std::function<void(const Span &)> watcher);

  /// Starts a transfer of `size` at `now` on channel `channel`, which is idle
  /// and has a path.
  void start(uint32_t channel, double size, double now, double weight = 1);
  /// Changes the weight of a channel's transfer at `now`; the channel must not
  /// be idle.
  void weigh(uint32_t channel, double weight, double now);
  /// Returns the time of the next end if no transfer starts before, or infinity
  /// if there is no transfer. `now` is the time of the last start, end or new
  /// weight.
  double nextEnd(double now);
  /// Removes the transfers that have ended by `now`, which is at most
  /// nextEnd(), and returns their channels, ascending. Valid until the next
  /// call.
  const std::vector<uint32_t> &finish(double now);
  /// Returns how often a link, or a path over one, has been divided anew, which
  /// is what takes the time.
  uint64_t work() const { return work_; }

private:
  struct Path {
    std::vector<uint32_t> links;
    std::vector<uint32_t> repeated; ///< Each link once, if some occur twice.
    PathTransfers transfers;
    bool changed = false; ///< Is in changed_.
    // As of the last divide().
    double weight = 0, share = 0;
    bool divided = true; ///< Has a share in the current divide().
  };
  struct Link {
    double bandwidth = 0;
    std::vector<uint32_t> paths; ///< Paths over the link with transfers.
    // State of the current divide().
    double free = 0;
    size_t open = 0;   ///< The number of paths without a share.
    double weight = 0; ///< The weight of these paths.
    bool reached = false;

    double level() const { return free / weight; }
  };
  /// The share that a link gives per unit of weight.
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
  std::vector<double> toldUntil_; ///< Per channel, if there is a watcher.
  std::vector<uint32_t> pathOf_;  ///< The path of each channel.
  std::vector<double> weights_;   ///< The weight of each channel.
  std::vector<Path> paths_;       ///< Each path once.
  std::vector<Link> links_;
  std::vector<uint32_t> changed_; ///< Paths with starts, ends or new weights.
  std::vector<uint32_t> touched_; ///< Links to be divided anew.
  std::vector<uint32_t> open_;    ///< Those of touched_ with open paths.
  std::vector<uint32_t> ended_;
  uint64_t work_ = 0;
  FirstTime ends_; ///< The first end on each path, at its current share.
  std::priority_queue<Level, std::vector<Level>, std::greater<Level>> levels_;
};

} // namespace blink

#endif // BLINK_COMPILER_SUPPORT_FAIRSHARES_H
