//===- Association.h - the order in which a sum is added up -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Sums of floating point numbers depend on how they are put in parentheses. If
// all trees of a schedule add in one association, every element has the same
// bits, whatever tree, chunk or variant carries it.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_ORDER_ASSOCIATION_H
#define BLINK_COMPILER_PACKING_ORDER_ASSOCIATION_H

#include "schedules/schedule_generated.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <vector>

namespace blink {

using sched::ReductionOrder;

/// Parses "none", "invariant" or "rank".
std::optional<ReductionOrder> parseReductionOrder(llvm::StringRef word);
llvm::StringRef toString(ReductionOrder order);

/// How sums over ranks are put in parentheses. `chain`: one rank after the
/// other, ((r0 + r1) + r2) + ...; `halves`: each half of the ranks by itself,
/// for example (r0 + r1) + (r2 + r3).
enum class Parentheses { chain, halves };

/// Returns the order that a schedule of such sums promises.
ReductionOrder orderOf(Parentheses parentheses);

/// A sum as a binary tree whose leaves, the terms, are the contributions of
/// ranks and whose inner nodes are sums of two. Nodes are in post-order, each
/// after its operands, with the whole sum last.
class Association {
public:
  struct Node {
    int rank = -1;             ///< rank that contributes the term; -1: a sum
    int left = -1, right = -1; ///< operands of a sum, in order of addition
    int user = -1;             ///< the sum that adds this node; -1 for the last

    bool isTerm() const { return rank >= 0; }
  };

  /// Creates the sum over ranks 0 to numRanks - 1; needs at least one rank.
  Association(Parentheses parentheses, int numRanks);

  Parentheses parentheses() const { return parentheses_; }
  const std::vector<Node> &nodes() const { return nodes_; }
  /// The node of the whole sum.
  int root() const { return static_cast<int>(nodes_.size()) - 1; }
  /// Returns true if the node is a sum and the right operand of another. A fold
  /// adds its sources one after the other, so such a sum has to come from
  /// another rank.
  bool isRightSum(int node) const {
    const Node &of = nodes_[node];
    return !of.isTerm() && of.user >= 0 && nodes_[of.user].right == node;
  }

private:
  int add(int first, int last);

  Parentheses parentheses_;
  std::vector<Node> nodes_;
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_ORDER_ASSOCIATION_H
