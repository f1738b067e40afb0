//===- RootedTree.h - a tree by its ranks' parents --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_ROOTEDTREE_H
#define BLINK_COMPILER_PACKING_GROW_ROOTEDTREE_H

#include "compiler/packing/Packing.h"

#include <algorithm>
#include <limits>

namespace blink {

/// A tree of a broadcast or reduce in a form that is easy to change edge by
/// edge.
struct RootedTree {
  std::vector<int> parents; ///< per rank; -1 for the root
  std::vector<Path> paths;  ///< path of data between a rank and its parent

  /// Returns the ranks with parents before children, by depth.
  std::vector<int> order() const;
};

RootedTree rootedTree(const Tree &tree, int numRanks);
Tree treeOf(const PackingProblem &problem, const RootedTree &tree,
            double weight);

/// Returns the path of data between a rank and its parent.
inline const Path &pathOf(const PathTable &table, bool up, int parent,
                          int child) {
  return up ? table.path(child, parent) : table.path(parent, child);
}

/// Returns the least `roomOf(link)` of the links of a path.
template <typename RoomOf> int leastRoom(const Path &path, RoomOf roomOf) {
  int room = std::numeric_limits<int>::max();
  for (int link : path)
    room = std::min(room, roomOf(link));
  return room;
}

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_ROOTEDTREE_H
