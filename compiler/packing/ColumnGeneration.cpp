//===- ColumnGeneration.cpp - the optimal packing, with proof ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/ColumnGeneration.h"

#include "compiler/packing/FitWeights.h"
#include "compiler/packing/MultiplicativeWeights.h"
#include "compiler/packing/PackingError.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace blink;
using llvm::Error;
using llvm::Expected;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What the rate and the bound of a result may differ by, relative. The solver
/// aims lower; when rounding keeps it from getting there, kAcceptable will do,
/// for the certificate states what it proves.
constexpr double kAim = 1e-10;
constexpr double kAcceptable = 1e-6;

/// A tree improves the LP when it costs less than it is worth by this part.
constexpr double kImprovement = 1e-11;

/// How much of the best prices is in those asked for trees. The LP's duals
/// jump between vertices; the best prices so far hold them.
constexpr double kSmoothing = 0.5;

constexpr int kMaxIterations = 2000;

/// The least depth at which every root has a low tree, and at least 2: lower
/// trees exist on crossbars only, where the price of an edge finds them too.
int lowestDepth(const TreePricer &pricer, int numRanks) {
  for (int depth = 2; depth < numRanks; ++depth) {
    bool all = true;
    for (int root : pricer.roots())
      all = all && std::isfinite(pricer.low(root, depth).cost);
    if (all)
      return depth;
  }
  return std::max(1, numRanks - 1);
}

} // namespace

ColumnGeneration::ColumnGeneration(const PackingProblem &problem)
    : problem_(problem), pricer_(problem), bestBound_(kInfinity) {}

Error ColumnGeneration::start() {
  const Fabric &fabric = *problem_.fabric;
  std::vector<double> prices(fabric.topology().links.size(), 0.0);
  for (size_t link = 0; link < prices.size(); ++link)
    if (fabric.usable(static_cast<int>(link)))
      prices[link] = 1 / fabric.topology().links[link].bandwidth;
  pricer_.setPrices(prices);
  maxDepth_ = lowestDepth(pricer_, fabric.numRanks());

  double rate = packApproximately(problem_, pricer_, maxDepth_, pool_);
  if (!(rate > 0) || !std::isfinite(rate))
    return makeError("no tree reaches every rank with a finite, positive rate");
  // The prices of the last round are a good first guess.
  priceExactly(pricer_.prices());
  Expected<MasterLp> lp = MasterLp::create(problem_, rate);
  if (!lp)
    return lp.takeError();
  lp_.emplace(std::move(*lp));
  for (int column = 0; column < pool_.size(); ++column)
    if (Error error = lp_->addTree(pool_.tree(column).root, pool_.uses(column)))
      return error;
  return Error::success();
}

bool ColumnGeneration::met(double tolerance) const {
  return lp_->rate() >= bestBound_ * (1 - tolerance);
}

std::vector<double> ColumnGeneration::smoothedPrices() const {
  std::vector<double> prices = lp_->linkPrices();
  for (size_t link = 0; link < prices.size(); ++link)
    prices[link] =
        kSmoothing * bestPrices_[link] + (1 - kSmoothing) * prices[link];
  return prices;
}

void ColumnGeneration::keepBest(double bound, double cheapestCost) {
  if (!(bound < bestBound_))
    return;
  bestBound_ = bound;
  bestPrices_ = pricer_.prices();
  for (double &price : bestPrices_)
    price /= cheapestCost;
}

Expected<bool>
ColumnGeneration::addImproving(const std::vector<PricedTree> &trees) {
  bool added = false;
  for (const PricedTree &priced : trees) {
    if (std::isinf(priced.cost))
      continue;
    Tree tree = pricer_.materialize(priced);
    std::vector<LinkUse> uses = linkUses(tree);
    double worth = lp_->worth(tree.root);
    if (priceOf(uses, lp_->linkPrices()) >= worth - kImprovement)
      continue;
    int root = tree.root;
    if (!pool_.add(std::move(tree)))
      continue;
    if (Error error = lp_->addTree(root, uses))
      return error;
    added = true;
  }
  return added;
}

Expected<bool> ColumnGeneration::addLow(int maxDepth) {
  std::vector<PricedTree> low;
  for (int root : pricer_.roots())
    low.push_back(pricer_.low(root, maxDepth));
  return addImproving(low);
}

std::vector<PricedTree>
ColumnGeneration::priceExactly(std::vector<double> prices) {
  pricer_.setPrices(std::move(prices));
  std::vector<PricedTree> cheapest;
  for (int root : pricer_.roots())
    cheapest.push_back(pricer_.cheapest(root));
  keepBest(pricer_.bound(cheapest), pricer_.cheapestCost(cheapest));
  return cheapest;
}

Expected<bool> ColumnGeneration::addTrees() {
  std::vector<PricedTree> smoothed = priceExactly(smoothedPrices());
  if (met(kAim))
    return true;
  Expected<bool> added = addLow(maxDepth_);
  if (!added || *added)
    return added;
  added = addImproving(smoothed);
  if (!added || *added)
    return added;
  std::vector<PricedTree> cheapest = priceExactly(lp_->linkPrices());
  if (met(kAim))
    return true;
  for (int depth = maxDepth_; depth < problem_.fabric->numRanks(); depth *= 2) {
    added = addLow(depth);
    if (!added || *added) {
      maxDepth_ = depth;
      return added;
    }
  }
  return addImproving(cheapest);
}

Error ColumnGeneration::iterate() {
  if (Error error = lp_->solve())
    return error;
  if (met(kAim))
    return Error::success();
  Expected<bool> added = addTrees();
  if (!added)
    return added.takeError();
  stalled_ = !*added;
  return Error::success();
}

Expected<PackedTrees> ColumnGeneration::finish() {
  // The LP's own prices are a vertex, with zeros where a link does not matter:
  // better to explain than smoothed ones that prove the same.
  double smoothedBound = bestBound_;
  std::vector<double> smoothed = bestPrices_;
  bestBound_ = kInfinity;
  priceExactly(lp_->linkPrices());
  if (!met(10 * kAim) && smoothedBound < bestBound_) {
    bestBound_ = smoothedBound;
    bestPrices_ = smoothed;
  }

  PackedTrees result;
  result.iterations = iterations_;
  std::vector<Tree> trees = pool_.takeTrees();
  result.candidates = trees;
  for (size_t column = 0; column < trees.size(); ++column)
    trees[column].weight = lp_->weights()[column];
  result.packing = fitWeights(problem_, std::move(trees));

  // Dividing the prices moved the last digits: state what they prove now.
  std::vector<PricedTree> cheapest = priceExactly(bestPrices_);
  result.certificate.prices = pricer_.prices();
  result.certificate.bound = pricer_.bound(cheapest);
  double gap = 1 - result.packing.algbw / result.certificate.bound;
  if (!(gap <= kAcceptable))
    return makeError("packing lost precision: rate {0} GB/s, bound {1} after "
                     "{2} iterations; are the links' bandwidths many orders of "
                     "magnitude apart?",
                     result.packing.algbw, result.certificate.bound,
                     iterations_);
  if (Error error = problem_.verify(result.packing))
    return error;
  return result;
}

Expected<PackedTrees> ColumnGeneration::run() {
  if (Error error = start())
    return error;
  do {
    if (Error error = iterate())
      return error;
    if (++iterations_ > kMaxIterations)
      return makeError("packing did not converge in {0} iterations: rate {1} "
                       "GB/s, bound {2}",
                       kMaxIterations, lp_->rate(), bestBound_);
  } while (!met(kAim) && !stalled_);
  return finish();
}

Expected<PackedTrees> blink::packTrees(const PackingProblem &problem) {
  if (Error error = problem.check())
    return error;
  if (problem.fabric->numRanks() == 1) {
    PackedTrees result;
    result.packing.trees.emplace_back();
    result.packing.algbw = kInfinity;
    result.candidates = result.packing.trees;
    result.certificate.prices.assign(problem.fabric->topology().links.size(),
                                     0.0);
    result.certificate.bound = kInfinity;
    return result;
  }
  return ColumnGeneration(problem).run();
}

Expected<PackingCertificate> blink::boundRate(const PackingProblem &problem) {
  Expected<PackedTrees> packed = packTrees(problem);
  if (!packed)
    return packed.takeError();
  return std::move(packed->certificate);
}
