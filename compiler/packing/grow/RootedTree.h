//===- RootedTree.h - a tree by its ranks' parents --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_ROOTEDTREE_H
#define BLINK_COMPILER_PACKING_GROW_ROOTEDTREE_H

#include "compiler/packing/Packing.h"

namespace blink {

/// A tree of a broadcast or reduce, to be changed edge by edge.
struct RootedTree {
  std::vector<int> parents; ///< of ranks; -1 of the root
  std::vector<Path> paths;  ///< the way data goes between a rank and its parent

  /// Ranks with parents before children, by depth.
  std::vector<int> order() const;
};

RootedTree rootedTree(const Tree &tree, int numRanks);
Tree treeOf(const PackingProblem &problem, const RootedTree &tree,
            double weight);

/// The path of data between a rank and its parent.
inline const Path &pathOf(const PathTable &table, bool up, int parent,
                          int child) {
  return up ? table.path(child, parent) : table.path(parent, child);
}

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_ROOTEDTREE_H
