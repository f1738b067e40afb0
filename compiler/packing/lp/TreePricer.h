//===- TreePricer.h - cheapest trees at given link prices -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// From prices on links to cheapest trees, and to the bound they prove.
//
// For any prices p >= 0, in GB/s, by linear programming duality (weigh the
// capacity inequality of Packing.h with p and sum over the links):
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
// Of trees in three phases (Gates.h) the cheapest of those gates that gatesFor
// lists is meant, here and in the bound, which then is one of such trees alone.
//
// Where a switch reduces for all ranks (SwitchStars.h), an in-tree may be what
// it does: each rank's link to it and the root's from it; and an out-tree the
// root's link to it and each rank's from it where it multicasts. To bring data
// to another rank first, that the switch takes it from there, would cost more.
//
// Where sums have an order the in-tree is one in that order (OrderedTrees.h),
// of any depth.
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

/// A tree without its paths, which are those of the pricer that made it.
struct PricedTree {
  int root = 0;
  Parents up;    ///< not set where sums have an order
  Places places; ///< but these
  Parents down;  ///< not set where the pricer mirrors
  /// Of PackingProblem::switches, the one that works for it, or -1, and what it
  /// does in place of `up` and `down`.
  int star = -1;
  bool starReduces = false, starMulticasts = false;
  double cost = 0; ///< infinity: there is none
};

class TreePricer {
public:
  /// `problem` must outlive the pricer.
  explicit TreePricer(const SymmetricProblem &problem);

  /// Takes `prices` >= 0, one a link, the same on all links of a row, and finds
  /// the cheapest paths.
  void setPrices(std::vector<double> prices);
  const std::vector<double> &prices() const { return prices_; }

  /// The cheapest tree of `root`, one of the problem's roots.
  PricedTree cheapest(int root) const;
  /// Those of all of the problem's roots.
  std::vector<PricedTree> cheapestOfAll() const;
  /// A cheap tree no deeper than `maxDepth`, see LowTree.h and
  /// ShortestPathTree.h.
  PricedTree low(int root, int maxDepth) const;
  /// The tree with its paths, weight 0.
  Tree materialize(const PricedTree &priced) const;

  /// The least depth at which every root has a tree.
  int lowestDepth() const;

  /// What one unit costs, from the cheapest trees, one for each of the
  /// problem's roots: their minimum, or their mean where roots are equal.
  /// Prices divided by it are normalised.
  double cheapestCost(const std::vector<PricedTree> &cheapest) const;
  /// The bound at these prices; infinity where they prove nothing.
  double bound(const std::vector<PricedTree> &cheapest) const;

private:
  /// Of a graph and the same reversed.
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
  CostGraph costs_;                     // of all pairs
  CostGraph reversed_;                  // costs_
  std::optional<OrderedTrees> ordered_; // where sums have an order
  /// Of trees in three phases, by root; empty for others.
  std::map<int, std::vector<Gates>> gates_;
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_LP_TREEPRICER_H
