//===- FirstTime.h - the first of many times --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SUPPORT_FIRSTTIME_H
#define BLINK_COMPILER_SUPPORT_FIRSTTIME_H

#include "compiler/support/Infinity.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace blink {

/// A time of each of so many things, infinite at first, and the least of them.
/// A tournament: a new time plays again up to where it changes nothing, so no
/// old times are left behind, as in a heap that entries are only added to.
class FirstTime {
public:
  explicit FirstTime(size_t number = 0) {
    while (leaves_ < number)
      leaves_ *= 2;
    nodes_.assign(2 * leaves_, {kInfinity, 0});
    for (uint32_t which = 0; which < leaves_; ++which)
      nodes_[leaves_ + which].which = which;
    for (size_t node = leaves_ - 1; node > 0; --node)
      nodes_[node] = nodes_[2 * node];
  }

  double of(uint32_t which) const { return nodes_[leaves_ + which].time; }
  /// The least time, and whose it is; of equal ones the lowest.
  double least() const { return nodes_[1].time; }
  uint32_t first() const { return nodes_[1].which; }

  void set(uint32_t which, double time) {
    size_t node = leaves_ + which;
    nodes_[node].time = time;
    for (node /= 2; node > 0; node /= 2) {
      const Node &left = nodes_[2 * node], &right = nodes_[2 * node + 1];
      const Node &winner = left.time <= right.time ? left : right;
      if (nodes_[node].which == winner.which &&
          nodes_[node].time == winner.time)
        return;
      nodes_[node] = winner;
    }
  }

private:
  struct Node {
    double time;
    uint32_t which;
  };
  size_t leaves_ = 1;       ///< a power of 2
  std::vector<Node> nodes_; ///< the root is the second; children are in pairs
};

} // namespace blink

#endif // BLINK_COMPILER_SUPPORT_FIRSTTIME_H
