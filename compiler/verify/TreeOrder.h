//===- TreeOrder.h - what comes before what in one tree ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Folds touch the same elements only if they belong to the same tree and chunk.
// So the question whether two of them are ordered concerns a single tree.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_TREEORDER_H
#define BLINK_COMPILER_VERIFY_TREEORDER_H

#include "compiler/verify/FoldGraph.h"

namespace blink::verify {

/// A claim: for each chunk, `before` ends before `after` starts. Both are folds
/// of the same tree.
struct OrderedPair {
  uint32_t before;
  uint32_t after;
};

/// Returns the position of the first pair that the lanes and channels of `tree`
/// do not order, or the number of pairs if all are ordered. The order of lanes
/// counts, and so do the tree's own channels. Channels of other trees do not,
/// since another tree may have no chunk of that number. If the tree's folds
/// wait for each other in a circle, no pair is ordered.
///
/// Takes time in (folds of the tree) x (distinct `before` folds) / 64 and
/// memory linear in the tree.
size_t firstUnordered(const FoldGraph &graph, uint32_t tree,
                      const std::vector<OrderedPair> &pairs);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_TREEORDER_H
