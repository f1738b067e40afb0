//===- TreeOrder.h - which trees lanes serve first --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Folds that are ready at the same time stand in a lane in the order of their
// trees. A tree that was split (SpreadTrees.h) is several equal trees, one
// after the other. In that order all lanes begin with the first few trees: with
// the same relay or root, whose links are full while those of the others are
// idle. So pipelines may fill sooner in another order. The rate does not
// change.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_TREEORDER_H
#define BLINK_COMPILER_PLAN_TREEORDER_H

#include "compiler/plan/FoldProgram.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <vector>

namespace blink {

enum class TreeOrder {
  asGiven,      ///< the order of each rank's folds, usually that of trees
  copiesInTurn, ///< the first of each tree's copies, then the second of each
  rootsInTurn   ///< the first tree of each root and block, then the second
};

/// Returns "given", "copies" or "roots".
llvm::StringRef nameOf(TreeOrder order);
std::optional<TreeOrder> parseTreeOrder(llvm::StringRef word);

/// Returns the place of each tree of `program` in `order`. Copies, and trees of
/// one root and block, count as such if they follow each other. Where there are
/// more of them than elsewhere, they are more often in turn.
std::vector<int> placesOf(const FoldProgram &program, TreeOrder order);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_TREEORDER_H
