//===- ColumnPool.h - the trees a solver has met ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_COLUMNPOOL_H
#define BLINK_COMPILER_PACKING_COLUMNPOOL_H

#include "compiler/packing/Packing.h"

#include <set>

namespace blink {

/// How often a tree uses a link.
struct LinkUse {
  int link;
  int times;
};

/// Ascending in link, no link twice.
std::vector<LinkUse> linkUses(const Tree &tree);

/// Price of a tree with such uses at `prices`, one a link.
double priceOf(const std::vector<LinkUse> &uses,
               const std::vector<double> &prices);

/// Numbers that say what a tree is, weight apart: equal for equal trees, and
/// an order that does not depend on how the trees were found (root first).
std::vector<int> contentKey(const Tree &tree);

/// Different trees in the order of their arrival: columns of the master LP.
class ColumnPool {
public:
  /// False when the pool has this tree already.
  bool add(Tree tree);

  int size() const { return static_cast<int>(trees_.size()); }
  const Tree &tree(int column) const { return trees_[column]; }
  const std::vector<LinkUse> &uses(int column) const { return uses_[column]; }
  std::vector<Tree> takeTrees() { return std::move(trees_); }

private:
  std::vector<Tree> trees_;
  std::vector<std::vector<LinkUse>> uses_;
  std::set<std::vector<int>> keys_;
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_COLUMNPOOL_H
