//===- TreeRoom.h - how many trees fit on a link ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_TREEROOM_H
#define BLINK_COMPILER_PACKING_TREEROOM_H

#include <algorithm>
#include <cmath>

namespace blink {

/// Returns the number of trees of `unit` GB/s for which a link with `bandwidth`
/// GB/s free has room; at most 1e6, which is more than any request needs.
inline double roomForTrees(double bandwidth, double unit) {
  constexpr double kRoundUp = 1e-9; // so close below an integer counts as it
  constexpr double kMost = 1e6;
  return std::min(kMost, std::floor(bandwidth / unit + kRoundUp));
}

} // namespace blink

#endif // BLINK_COMPILER_PACKING_TREEROOM_H
