//===- ColumnGeneration.h - the optimal packing, with proof -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Solves the packing LP over all trees by solving it over few (MasterLp) and
// asking for trees that would improve it (TreePricer). Depth by depth:
//
//   trees, best prices <- multiplicative weights with trees of depth H
//   repeat
//     solve the LP over the trees; its duals are link prices p
//     s <- prices between p and the best so far     (dual smoothing, Wentges)
//     price exactly at s: an upper bound; keep the best prices
//     stop when rate and bound meet
//     add trees of depth H that improve the LP at p: those cheap at s; if there
//     are none, those cheap at p; if there are none, price exactly at p, and
//     begin again with H + 1, in the end with trees of any depth
//
// The trees are therefore as low as the heuristic for low trees can make them,
// and the bound is always proved by exact pricing.
//
// packTrees and boundRate of PackTrees.h live here.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_LP_COLUMNGENERATION_H
#define BLINK_COMPILER_PACKING_LP_COLUMNGENERATION_H

#include "compiler/packing/PackTrees.h"
#include "compiler/packing/lp/MasterLp.h"
#include "compiler/packing/lp/TreePricer.h"

#include <optional>

namespace blink {

class ColumnGeneration {
public:
  /// `problem` and `watcher` must outlive this. Needs two ranks or more.
  ColumnGeneration(const SymmetricProblem &problem,
                   const SolveWatcher &watcher);

  llvm::Expected<PackedTrees> run();

private:
  llvm::Error start();
  llvm::Error warmUp();
  llvm::Error iterate();
  llvm::Expected<bool> addTrees();
  llvm::Expected<bool> addLow();
  bool goDeeper();
  std::vector<PricedTree> priceExactly(std::vector<double> prices);
  /// Adds those of `trees` that improve the LP; returns true if there was one.
  llvm::Expected<bool> addImproving(const std::vector<PricedTree> &trees);
  std::vector<double> smoothedPrices() const;
  void keepBest(double bound, double cheapestCost);
  bool met(double tolerance) const;
  bool watch();
  llvm::Expected<PackedTrees> finish();

  const SymmetricProblem &problem_;
  const SolveWatcher &watcher_;
  TreePricer pricer_;
  ColumnPool pool_;
  std::optional<MasterLp> lp_;
  int maxDepth_ = 1;    ///< of the trees looked for
  int deeperSteps_ = 0; ///< taken so far
  int roundsAtDepth_ = 0;
  int iterations_ = 0;
  bool stalled_ = false, stopped_ = false;
  std::vector<double> unitPrices_; ///< 1 / bandwidth, averaged over rows
  double bestBound_;
  std::vector<double> bestPrices_; // normalised
};

/// Returns the bound that `prices` prove, as boundAt of PackTrees.h does, for a
/// problem that has been reduced already.
PackingCertificate boundAt(const SymmetricProblem &problem,
                           std::vector<double> prices);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_LP_COLUMNGENERATION_H
