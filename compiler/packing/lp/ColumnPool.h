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

/// Returns numbers that identify a tree apart from its weight: equal for equal
/// trees. Their order begins with the root and does not depend on how the trees
/// were found.
std::vector<int> contentKey(const Tree &tree);

/// Distinct trees in the order in which they were added: the columns of the
/// master LP. Their roots are roots of the problem; `problem` must outlive the
/// pool.
class ColumnPool {
public:
  explicit ColumnPool(const SymmetricProblem &problem) : problem_(&problem) {}

  /// Returns false if the pool has this tree already.
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
