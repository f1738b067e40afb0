//===- OrderedTrees.h - cheapest places for an ordered sum ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A tree that adds in a given association (Association.h) is no in-tree of
// ranks: each sum of two is made at some rank, and what it adds comes there
// over other ranks if need be, which pass it on as it is. The cheapest choice
// of places at given link prices is found node by node from the terms up:
//
//     cost(sum at p)  = arrive(left, p) + arrive(right, p)
//     arrive(node, p) = min over q of cost(node at q) + distance(q, p)
//
// So the packing LP over such trees is solved by the same column generation as
// the one over arborescences, and its bound has the same kind of proof.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_ORDER_ORDEREDTREES_H
#define BLINK_COMPILER_PACKING_ORDER_ORDEREDTREES_H

#include "compiler/packing/Packing.h"
#include "compiler/packing/trees/MinArborescence.h"

namespace blink {

/// Of each node of an association the rank at which it is.
using Places = std::vector<int>;

class OrderedTrees {
public:
  /// `direct` are the cheapest paths between all pairs of ranks; `association`
  /// outlives this. O(nodes x ranks^2).
  OrderedTrees(const Association &association, const PathTable &direct);

  /// Of the cheapest places that end at `root`; infinite if there are none.
  double cost(int root) const { return costs_.back()[root]; }
  Places places(int root) const; ///< empty if there are none
  /// The `up` part of a tree: one edge for each node but the last, from its
  /// place to that of its user. A path may go over other ranks.
  std::vector<TreeEdge> edges(const Places &places) const;

  /// The cheapest path from rank to rank, over others if need be, and its cost;
  /// empty and infinite if there is none.
  Path path(int from, int to) const;
  double distance(int from, int to) const {
    return distances_[from * numRanks_ + to];
  }

private:
  void closeOverRanks();

  const Association &association_;
  const PathTable &direct_;
  int numRanks_;
  CostMatrix distances_; ///< over other ranks, too
  std::vector<int>
      next_; ///< [from * numRanks_ + to]: the first rank on the way
  /// By node and place: of it and all below it.
  std::vector<std::vector<double>> costs_;
  /// By node and place of its user: where the node is then.
  std::vector<std::vector<int>> from_;
};

/// The edges of an in-tree of depth one in the association's order, for all
/// sums are made at the root. The tree has them as edges of `up`.
std::vector<TreeEdge> orderedStar(const Association &association,
                                  const Tree &tree);

/// Is the `up` part of `tree` one of this association? One edge a node, from
/// where it is to where it is added.
llvm::Error checkOrdered(const Association &association, const Tree &tree);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_ORDER_ORDEREDTREES_H
