//===- PathTransfers.h - transfers that share a path ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SUPPORT_PATHTRANSFERS_H
#define BLINK_COMPILER_SUPPORT_PATHTRANSFERS_H

#include "compiler/support/Infinity.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace blink {

/// Transfers that have the same share of links at all times, each in proportion
/// to its weight. Their common clock is the amount that a transfer of weight 1
/// has got so far (virtual time, as in generalized processor sharing: Parekh
/// and Gallager, 1993). A transfer's end on this clock does not depend on the
/// share, so a new share costs as much for a thousand transfers as for one.
class PathTransfers {
public:
  /// Returns the size per time for a weight of 1.
  double share() const { return share_; }
  /// Returns the weight of all transfers together.
  double weight() const { return weight_; }
  size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }

  void start(uint32_t channel, double size, double weight, double now);
  /// Changes the weight of the transfer of `channel`, which has not ended.
  void weigh(uint32_t channel, double weight, double now);
  /// Sets the share from `now` on.
  void share(double share, double now);

  /// Returns when the first transfer ends at the current share; infinity if
  /// there is no transfer or the share is 0.
  double firstEnd() const;
  /// Removes the transfer that ends first, and returns its channel.
  uint32_t pop(double now);

  /// Calls `visit` with the channel and the weight of each transfer.
  template <typename Visit> void forEach(Visit visit) const {
    for (const End &end : ends_)
      visit(end.channel, end.weight);
  }

private:
  struct End {
    double clock;
    uint32_t channel;
    double weight;
    /// Puts the first end at a heap's top; of equal ends, the lowest channel.
    bool operator<(const End &other) const {
      return clock != other.clock ? clock > other.clock
                                  : channel > other.channel;
    }
  };
  void moveClock(double now);

  std::vector<End> ends_; ///< A heap.
  double share_ = 0;
  double weight_ = 0;
  double clock_ = 0; ///< At since_.
  double since_ = 0;
};

} // namespace blink

#endif // BLINK_COMPILER_SUPPORT_PATHTRANSFERS_H
