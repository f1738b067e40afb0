//===- TreesInBoxes.h - how trees lead through boxes ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_TREESINBOXES_H
#define BLINK_COMPILER_PACKING_GROW_TREESINBOXES_H

#include "compiler/packing/Packing.h"

namespace blink {

/// A tree over the ranks of a box: for each place (Boxes.h), that of the
/// parent; -1 for the place where the tree begins.
using PlaceTree = std::vector<int>;

/// A tree of a broadcast or reduce over equal boxes, between which it crosses
/// at one place.
struct TreeInBoxes {
  size_t place;
  PlaceTree atRoot; ///< in the root's box; begins at the root
  PlaceTree beyond; ///< in each other box; begins at `place`
};

/// Grows `number` such trees of `unit` GB/s each, which cross at different
/// places. In a tree a rank has no more than `mostChildren` children in its box
/// where possible. Each tree crosses at the place that it reaches early in the
/// root's box: the latest is as early as possible. Returns no trees if a box
/// alone does not carry them. What links between boxes carry is not checked.
/// `boxes`: of equalBoxes.
std::vector<TreeInBoxes> growInBoxes(const PackingProblem &problem,
                                     const std::vector<std::vector<int>> &boxes,
                                     int number, double unit, int mostChildren);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_TREESINBOXES_H
