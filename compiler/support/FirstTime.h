//===- FirstTime.h - minimum of many changing times -------------*- C++ -*-===//
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

/// The times of a number of things, infinite at first, and their minimum: a
/// tournament tree. set() recomputes winners only up to the first node that
/// does not change. Unlike a heap to which entries are only added, the tree
/// keeps no old times.
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
  /// Return the least time, and the thing that has it; on a tie, the lowest.
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
  size_t leaves_ = 1; ///< A power of 2.
  /// nodes_[1] is the root; node i has the children 2i and 2i + 1.
  std::vector<Node> nodes_;
};

} // namespace blink

#endif // BLINK_COMPILER_SUPPORT_FIRSTTIME_H
