//===- TreePricer.h - cheapest trees at given link prices -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// From prices on links to cheapest trees, and to the bound they prove.
//
// For any prices p >= 0, with rates in GB/s, by linear programming duality
// (weigh the capacity inequality of Packing.h with p and sum over the links):
//
//   broadcast, reduce          rate <= sum(p * bandwidth) / cost(root)
//   allreduce                  rate <= sum(p * bandwidth) / min_r cost(r)
//   allgather, reducescatter   rate <= n * sum(p * bandwidth) / sum_r cost(r)
//   scatter, gather            rate <= n * sum(p * bandwidth) / cost(root)
//   alltoall                   rate <= n * sum(p * bandwidth) / sum_r cost(r)
//
// where cost(r) is the price of the cheapest tree rooted at r: an in-tree, an
// out-tree, or for allreduce one of each. In the routed collectives that is a
// tree of shortest paths, and the price is the sum of the distances.
//
// For trees in three phases (Gates.h), cost(r) is the price of the cheapest
// tree over the gates that gatesFor lists. The bound then holds for such trees
// only.
//
// If a switch reduces for all ranks (SwitchStars.h), an in-tree may be the
// switch's work: it uses each rank's link to the switch and the root's link
// from it. If the switch multicasts, an out-tree may use the root's link to the
// switch and each rank's link from it. Moving data to another rank first, so
// that the switch reads it there, would cost more.
//
// If sums have an order, the in-tree is one in that order (OrderedTrees.h), of
// any depth.
//
// Prices are the same on all links of a row of the SymmetricProblem, so one
// root of each orbit is enough.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_LP_TREEPRICER_H
#define BLINK_COMPILER_PACKING_LP_TREEPRICER_H

#include "compiler/packing/lp/SymmetricProblem.h"
#include "compiler/packing/order/OrderedTrees.h"
#include "compiler/packing/trees/Gates.h"
#include "compiler/packing/trees/PairGraph.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <optional>

namespace blink {

/// A tree without its paths, which the pricer that made it knows.
struct PricedTree {
  int root = 0;
  Parents up;    ///< not set if sums have an order
  Places places; ///< set only if sums have an order
  Parents down;  ///< not set if out-trees mirror in-trees
  /// Index in PackingProblem::switches of the switch that works for the tree,
  /// or -1, and the parts that it does in place of `up` and `down`.
  int star = -1;
  bool starReduces = false, starMulticasts = false;
  double cost = 0; ///< infinity if there is no such tree
};

class TreePricer {
public:
  /// `problem` must outlive the pricer.
  explicit TreePricer(const SymmetricProblem &problem);

  /// Sets the prices and finds the cheapest paths. `prices` has one entry >= 0
  /// per link, the same on all links of a row.
  void setPrices(std::vector<double> prices);
  const std::vector<double> &prices() const { return prices_; }

  /// Returns the cheapest tree of `root`, one of the problem's roots.
  PricedTree cheapest(int root) const;
  /// Returns the cheapest tree of each of the problem's roots.
  std::vector<PricedTree> cheapestOfAll() const;
  /// Returns a cheap tree no deeper than `maxDepth`; see LowTree.h and
  /// ShortestPathTree.h.
  PricedTree low(int root, int maxDepth) const;
  /// Returns the tree with its paths and weight 0.
  Tree materialize(const PricedTree &priced) const;

  /// Returns the least depth at which every root has a tree.
  int lowestDepth() const;

  /// Returns the cost of one unit of rate, given the cheapest tree of each of
  /// the problem's roots: the minimum of their costs, or the mean if roots are
  /// equal. Prices divided by it are normalised.
  double cheapestCost(const std::vector<PricedTree> &cheapest) const;
  /// Returns the bound at the current prices; infinity if they prove nothing.
  double bound(const std::vector<PricedTree> &cheapest) const;

private:
  /// Finds a tree, given a graph and its reversal.
  using Solve =
      llvm::function_ref<Parents(const CostGraph &, const CostGraph &)>;
  void findGates();
  PricedTree price(int root, Solve solve) const;
  PricedTree priceOver(int root, const CostGraph &costs,
                       const CostGraph &reversed, Solve solve) const;
  int lowestDepth(int root, const CostGraph &costs,
                  const CostGraph &reversed) const;
  double starCost(const SwitchStar &star, int root, bool up) const;
  void useSwitch(PricedTree &tree, double up, double down) const;
  void addStar(Tree &tree, const SwitchStar &star, bool up) const;
  double costOf(const CostGraph &costs, const Parents &parents, int root) const;

  const SymmetricProblem &problem_;
  int numRanks_;
  std::vector<double> prices_;
  std::optional<SymmetricPaths> paths_;
  std::optional<PairGraph> pairs_;
  CostGraph costs_;                     // over all pairs
  CostGraph reversed_;                  // costs_ reversed
  std::optional<OrderedTrees> ordered_; // if sums have an order
  /// Possible gates of trees in three phases, by root; empty for other trees.
  std::map<int, std::vector<Gates>> gates_;
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_LP_TREEPRICER_H
