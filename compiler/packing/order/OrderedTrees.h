//===- OrderedTrees.h - cheapest places for an ordered sum ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A tree that adds in a given association (Association.h) is not an in-tree of
// ranks. Each sum of two is made at some rank, and its operands travel there,
// if need be over other ranks, which pass them on unchanged. The cheapest
// choice of places at given link prices is found node by node from the terms
// up:
//
//     cost(sum at p)  = arrive(left, p) + arrive(right, p)
//     arrive(node, p) = min over q of cost(node at q) + distance(q, p)
//
// The packing LP over such trees is therefore solved by the same column
// generation as the one over arborescences, and its bound has the same kind of
// proof.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_ORDER_ORDEREDTREES_H
#define BLINK_COMPILER_PACKING_ORDER_ORDEREDTREES_H

#include "compiler/packing/Packing.h"
#include "compiler/packing/trees/MinArborescence.h"

namespace blink {

/// The rank at which each node of an association is made.
using Places = std::vector<int>;

class OrderedTrees {
public:
  /// `direct` has the cheapest paths between all pairs of ranks. It and
  /// `association` must outlive this. Takes O(nodes x ranks^2) time.
  OrderedTrees(const Association &association, const PathTable &direct);

  /// Returns the cost of the cheapest places that end at `root`; infinite if
  /// there are none.
  double cost(int root) const { return costs_.back()[root]; }
  Places places(int root) const; ///< the cheapest; empty if there are none
  /// Returns the `up` part of a tree: one edge for each node but the last, from
  /// the node's place to that of its user. A path may cross other ranks.
  std::vector<TreeEdge> edges(const Places &places) const;

  /// The cheapest path from rank to rank, over other ranks if need be, and its
  /// cost; empty and infinite if there is none.
  Path path(int from, int to) const;
  double distance(int from, int to) const {
    return distances_[from * numRanks_ + to];
  }

private:
  void closeOverRanks();

  const Association &association_;
  const PathTable &direct_;
  int numRanks_;
  CostMatrix distances_; ///< including paths over other ranks
  /// The first rank on the way, at [from * numRanks_ + to].
  std::vector<int> next_;
  /// Cost of a node and all nodes below it, by node and place.
  std::vector<std::vector<double>> costs_;
  /// Place of a node, by the node and the place of its user.
  std::vector<std::vector<int>> from_;
};

/// Returns the `up` edges in the association's order for a tree of depth one,
/// at whose root all sums are made; `tree` has them as ordinary `up` edges.
std::vector<TreeEdge> orderedStar(const Association &association,
                                  const Tree &tree);

/// Checks that the `up` part of `tree` follows this association: one edge per
/// node, from the rank where the node is made to the one where it is added.
llvm::Error checkOrdered(const Association &association, const Tree &tree);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_ORDER_ORDEREDTREES_H
