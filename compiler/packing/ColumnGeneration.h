//===- ColumnGeneration.h - the optimal packing, with proof -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Solves the packing LP over all trees by solving it over few (MasterLp) and
// asking for trees that would improve it (TreePricer):
//
//   trees, best prices <- multiplicative weights
//   repeat
//     solve the LP over the trees; its duals are link prices p
//     s <- prices between p and the best so far     (dual smoothing, Wentges)
//     price exactly at s: an upper bound; keep the best prices
//     stop when rate and bound meet
//     add trees that improve the LP at p: low ones that are cheap at s; if
//     none, the cheapest at s; if none, low ones at p, deeper and deeper; if
//     none, the cheapest at p; if none, p is optimal
//
// packTrees and boundRate of PackTrees.h live here.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_COLUMNGENERATION_H
#define BLINK_COMPILER_PACKING_COLUMNGENERATION_H

#include "compiler/packing/MasterLp.h"
#include "compiler/packing/PackTrees.h"
#include "compiler/packing/TreePricer.h"

#include <optional>

namespace blink {

class ColumnGeneration {
public:
  /// `problem` has passed check(), has two ranks or more, and outlives this.
  explicit ColumnGeneration(const PackingProblem &problem);

  llvm::Expected<PackedTrees> run();

private:
  llvm::Error start();
  llvm::Error iterate();
  llvm::Expected<bool> addTrees();
  llvm::Expected<bool> addLow(int maxDepth);
  std::vector<PricedTree> priceExactly(std::vector<double> prices);
  /// Those of `trees` that improve the LP; whether there was one.
  llvm::Expected<bool> addImproving(const std::vector<PricedTree> &trees);
  std::vector<double> smoothedPrices() const;
  void keepBest(double bound, double cheapestCost);
  bool met(double tolerance) const;
  llvm::Expected<PackedTrees> finish();

  const PackingProblem &problem_;
  TreePricer pricer_;
  ColumnPool pool_;
  std::optional<MasterLp> lp_;
  int maxDepth_ = 1; ///< of low trees
  int iterations_ = 0;
  bool stalled_ = false;
  double bestBound_;
  std::vector<double> bestPrices_; // normalised, see TreePricer::cheapestCost
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_COLUMNGENERATION_H
