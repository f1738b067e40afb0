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
//
// where cost(r) is the price of the cheapest tree rooted at r: an in-tree, an
// out-tree, or for allreduce one of each.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_TREEPRICER_H
#define BLINK_COMPILER_PACKING_TREEPRICER_H

#include "compiler/packing/MinArborescence.h"
#include "compiler/packing/Mirroring.h"
#include "compiler/packing/Packing.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace blink {

/// A tree without its paths, which are those of the pricer that made it.
struct PricedTree {
  int root = 0;
  Parents up;
  Parents down;    ///< not set where the pricer mirrors
  double cost = 0; ///< infinity: there is none
};

class TreePricer {
public:
  /// `problem` must have passed check() and outlive the pricer.
  explicit TreePricer(const PackingProblem &problem);

  /// The ranks that may be roots.
  const std::vector<int> &roots() const { return roots_; }

  /// Takes `prices` >= 0, one a link, and finds the cheapest paths. Prices of
  /// twins are averaged where the pricer mirrors.
  void setPrices(std::vector<double> prices);
  const std::vector<double> &prices() const { return prices_; }

  /// The cheapest tree of `root`.
  PricedTree cheapest(int root) const;
  /// A cheap tree no deeper than `maxDepth`, see LowTree.h.
  PricedTree low(int root, int maxDepth) const;
  /// The tree with its paths, weight 0.
  Tree materialize(const PricedTree &priced) const;

  /// cost(r) for the bounds above from the cheapest trees, one for each of
  /// roots(): the minimum, or the mean for allgather and reducescatter. Prices
  /// divided by it are *normalised*: the bound is then sum(p * bandwidth).
  double cheapestCost(const std::vector<PricedTree> &cheapest) const;
  /// The bound at these prices; infinity where they prove nothing.
  double bound(const std::vector<PricedTree> &cheapest) const;

private:
  bool mirrors() const { return !twins_.empty(); }
  PricedTree price(int root,
                   llvm::function_ref<Parents(const CostMatrix &)> solve) const;

  const PackingProblem &problem_;
  int numRanks_;
  std::vector<int> roots_;
  std::vector<int> twins_; // see mirrorTwins
  std::vector<double> prices_;
  PathTable paths_;
  CostMatrix transposed_; // of paths_.costs, for in-trees
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_TREEPRICER_H
