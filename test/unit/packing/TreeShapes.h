//===- TreeShapes.h - the depth and width of trees --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_PACKING_TREESHAPES_H
#define BLINK_TEST_UNIT_PACKING_TREESHAPES_H

#include "compiler/packing/Packing.h"

#include <algorithm>

namespace blink::test {

/// Returns the depth in hops of the deepest of `trees`, over `ranks` ranks.
inline int depthOf(const std::vector<Tree> &trees, int ranks) {
  int depth = 0;
  for (const Tree &tree : trees)
    depth = std::max(depth, tree.depth(ranks));
  return depth;
}

/// Returns the maximum number of children of any rank in any of `trees`.
inline int mostChildren(const std::vector<Tree> &trees, int ranks) {
  int most = 0;
  for (const Tree &tree : trees) {
    std::vector<int> children(ranks, 0);
    for (const TreeEdge &edge : tree.down)
      most = std::max(most, ++children[edge.from]);
    for (const TreeEdge &edge : tree.up)
      most = std::max(most, ++children[edge.to]);
  }
  return most;
}

} // namespace blink::test

#endif // BLINK_TEST_UNIT_PACKING_TREESHAPES_H
