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

/// Transfers that have the same share of links all the time, each as much of it
/// as its weight says. Their common clock is what one of weight 1 has got by
/// now (virtual time, as in generalized processor sharing: Parekh and Gallager,
/// 1993). On it a transfer's end stands firm however the share changes, so that
/// another share costs as much for a thousand transfers as for one.
class PathTransfers {
public:
  /// Size by time for a weight of 1.
  double share() const { return share_; }
  /// Of all transfers.
  double weight() const { return weight_; }
  size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }

  void start(uint32_t channel, double size, double weight, double now);
  /// The transfer of `channel`, which has not ended, has this weight now.
  void weigh(uint32_t channel, double weight, double now);
  /// From `now` on.
  void share(double share, double now);

  /// When the first transfer ends as things stand; infinite if there is none or
  /// if they stand still.
  double firstEnd() const;
  /// Takes out the transfer that ends first, and returns its channel.
  uint32_t pop(double now);

  /// Calls `visit` with the channel and the weight of each.
  template <typename Visit> void forEach(Visit visit) const {
    for (const End &end : ends_)
      visit(end.channel, end.weight);
  }

private:
  struct End {
    double clock;
    uint32_t channel;
    double weight;
    /// Of a heap's top that ends first; of equal ends the lowest channel.
    bool operator<(const End &other) const {
      return clock != other.clock ? clock > other.clock
                                  : channel > other.channel;
    }
  };
  void moveClock(double now);

  std::vector<End> ends_; ///< a heap
  double share_ = 0;
  double weight_ = 0;
  double clock_ = 0; ///< at since_
  double since_ = 0;
};

} // namespace blink

#endif // BLINK_COMPILER_SUPPORT_PATHTRANSFERS_H
