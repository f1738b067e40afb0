//===- ColumnPool.h - the trees a solver has met ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_LP_COLUMNPOOL_H
#define BLINK_COMPILER_PACKING_LP_COLUMNPOOL_H

#include "compiler/packing/lp/SymmetricProblem.h"

#include <set>

namespace blink {

/// Numbers that say what a tree is, weight apart: equal for equal trees, and
/// an order that does not depend on how the trees were found (root first).
std::vector<int> contentKey(const Tree &tree);

/// Different trees in the order of their arrival: columns of the master LP.
/// Their roots are roots of the problem; `problem` outlives the pool.
class ColumnPool {
public:
  explicit ColumnPool(const SymmetricProblem &problem) : problem_(&problem) {}

  /// False when the pool has this tree already.
  bool add(Tree tree);

  int size() const { return static_cast<int>(trees_.size()); }
  const Tree &tree(int column) const { return trees_[column]; }
  const std::vector<RowUse> &uses(int column) const { return uses_[column]; }
  int depth(int column) const { return depths_[column]; }
  const SymmetricProblem &problem() const { return *problem_; }

private:
  const SymmetricProblem *problem_;
  std::vector<Tree> trees_;
  std::vector<std::vector<RowUse>> uses_;
  std::vector<int> depths_;
  std::set<std::vector<int>> keys_;
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_LP_COLUMNPOOL_H
