//===- Association.h - in which order a sum is added up ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Sums of floating point numbers depend on how they are put in parentheses. A
// schedule whose trees all add in one association gives the same bits for every
// element, whatever tree, chunk or variant brings it there.
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

/// "none", "invariant", "rank".
std::optional<ReductionOrder> parseReductionOrder(llvm::StringRef word);
llvm::StringRef toString(ReductionOrder order);

/// How sums over ranks are put in parentheses. `chain`: one rank after the
/// other, ((r0 + r1) + r2) + ...; `halves`: each half of the ranks by itself,
/// (r0 + r1) + (r2 + r3) of four.
enum class Parentheses { chain, halves };

/// What a schedule of such sums promises.
ReductionOrder orderOf(Parentheses parentheses);

/// A sum as a binary tree: terms, which are what ranks contribute, and sums of
/// two. Nodes stand in post-order, each after its operands, the sum last.
class Association {
public:
  struct Node {
    int rank = -1;             ///< whose contribution; -1: a sum
    int left = -1, right = -1; ///< of a sum: nodes, in the order of addition
    int user = -1;             ///< the sum that adds it; -1 for the last

    bool isTerm() const { return rank >= 0; }
  };

  /// Of ranks 0 to numRanks - 1, of which there is one at least.
  Association(Parentheses parentheses, int numRanks);

  Parentheses parentheses() const { return parentheses_; }
  const std::vector<Node> &nodes() const { return nodes_; }
  /// The whole sum.
  int root() const { return static_cast<int>(nodes_.size()) - 1; }
  /// Whether a sum is the right operand of another: a fold adds sources one
  /// after the other, so this one has to come from elsewhere.
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
