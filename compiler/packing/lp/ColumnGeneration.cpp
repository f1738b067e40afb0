//===- ColumnGeneration.cpp - the optimal packing, with proof ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/lp/ColumnGeneration.h"

#include "compiler/packing/FewPeers.h"
#include "compiler/packing/grow/PackGrown.h"
#include "compiler/packing/grow/PackStars.h"
#include "compiler/packing/lp/FitWeights.h"
#include "compiler/packing/lp/MultiplicativeWeights.h"
#include "compiler/packing/lp/SpanningCost.h"
#include "compiler/packing/pairs/PackPairs.h"
#include "compiler/support/Error.h"
#include "compiler/support/Infinity.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace blink;
using llvm::Error;
using llvm::Expected;

namespace {

/// The largest relative difference between the rate and the bound of a result.
/// The solver aims at kAim. If rounding keeps it from getting there,
/// kAcceptable suffices, because the certificate states what it proves.
constexpr double kAim = 1e-10;
constexpr double kAcceptable = 1e-6;

/// A tree improves the LP if its cost is below its worth by at least this much,
/// relative.
constexpr double kImprovement = 1e-11;

/// The weight of the best prices so far in the prices at which trees are
/// sought. The LP's duals jump between vertices; mixing in the best prices
/// steadies them.
constexpr double kSmoothing = 0.5;

/// Rounds after which a depth is given up. If bandwidths are far apart, low
/// trees may improve the LP endlessly, by next to nothing each time.
constexpr int kMostRoundsAtDepth = 200;

/// Depths tried one by one above the least possible; the limit then doubles.
constexpr int kMostDeeperSteps = 6;

constexpr int kMaxIterations = 4000;

} // namespace

ColumnGeneration::ColumnGeneration(const SymmetricProblem &problem,
                                   const SolveWatcher &watcher)
    : problem_(problem), watcher_(watcher), pricer_(problem), pool_(problem),
      bestBound_(kInfinity) {}

Error ColumnGeneration::start() {
  const RankTopology &rankTopology = *problem_.problem().rankTopology;
  std::vector<double> prices(rankTopology.topology().links.size(), 0.0);
  for (size_t link = 0; link < prices.size(); ++link)
    if (rankTopology.usable(static_cast<int>(link)))
      prices[link] = 1 / rankTopology.topology().links[link].bandwidth;
  unitPrices_ = problem_.averaged(std::move(prices));
  pricer_.setPrices(unitPrices_);
  maxDepth_ = pricer_.lowestDepth();
  return warmUp();
}

/// Adds trees of the current depth to the LP.
Error ColumnGeneration::warmUp() {
  pricer_.setPrices(unitPrices_);
  int known = pool_.size();
  double rate = packApproximately(problem_, pricer_, maxDepth_, pool_);
  if (!(rate > 0) || !std::isfinite(rate)) {
    if (problem_.problem().rankTopology->isPhased())
      return makeError("--phases: no tree that enters and leaves each server "
                       "by one rank reaches every rank; leave --phases out");
    return makeError("no tree reaches every rank with a finite, positive rate");
  }
  // The prices of the last round are a good first guess at the optimal ones.
  priceExactly(pricer_.prices());
  if (!lp_) {
    Expected<MasterLp> lp = MasterLp::create(problem_, rate);
    if (!lp)
      return lp.takeError();
    lp_.emplace(std::move(*lp));
  }
  for (int column = known; column < pool_.size(); ++column)
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
    std::vector<RowUse> uses = problem_.uses(tree);
    double worth = lp_->worth(tree.root);
    if (lp_->priceOf(uses) >= worth - kImprovement * problem_.unitCost())
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

Expected<bool> ColumnGeneration::addLow() {
  std::vector<PricedTree> low;
  for (int root : problem_.roots())
    low.push_back(pricer_.low(root, maxDepth_));
  return addImproving(low);
}

std::vector<PricedTree>
ColumnGeneration::priceExactly(std::vector<double> prices) {
  pricer_.setPrices(std::move(prices));
  std::vector<PricedTree> cheapest = pricer_.cheapestOfAll();
  keepBest(pricer_.bound(cheapest), pricer_.cheapestCost(cheapest));
  return cheapest;
}

/// Returns false if the depth limit excludes no tree any more.
bool ColumnGeneration::goDeeper() {
  int most = problem_.problem().rankTopology->numRanks() - 1;
  if (maxDepth_ >= most)
    return false;
  int step = ++deeperSteps_ > kMostDeeperSteps ? maxDepth_ : 1;
  maxDepth_ = std::min(most, maxDepth_ + step);
  roundsAtDepth_ = 0;
  return true;
}

Expected<bool> ColumnGeneration::addTrees() {
  priceExactly(smoothedPrices());
  if (met(kAim))
    return true;
  bool patient = ++roundsAtDepth_ < kMostRoundsAtDepth;
  Expected<bool> added = addLow();
  if (!added || (*added && patient))
    return added;
  std::vector<PricedTree> cheapest = priceExactly(lp_->linkPrices());
  if (met(kAim))
    return true;
  added = addLow();
  if (!added || (*added && patient))
    return added;
  if (goDeeper()) {
    if (Error error = warmUp())
      return error;
    return true;
  }
  Expected<bool> more = addImproving(cheapest);
  return more ? *more || *added : std::move(more);
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

bool ColumnGeneration::watch() {
  if (!watcher_)
    return true;
  int most = problem_.problem().rankTopology->numRanks() - 1;
  return watcher_(
      {iterations_, maxDepth_ < most ? maxDepth_ : 0, lp_->rate(), bestBound_});
}

Expected<PackedTrees> ColumnGeneration::finish() {
  // The LP's own prices are a vertex, with zeros on links that do not matter.
  // They are easier to explain than smoothed prices that prove the same.
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
  result.packing = fitColumns(pool_, lp_->weights());
  for (int column = 0; column < pool_.size(); ++column)
    result.candidates.push_back(pool_.tree(column));

  // Normalising the prices changed their last digits: state what they prove
  // now.
  std::vector<PricedTree> cheapest = priceExactly(bestPrices_);
  result.certificate.prices = pricer_.prices();
  result.certificate.bound = pricer_.bound(cheapest);
  double gap = 1 - result.packing.algbw / result.certificate.bound;
  if (!(gap <= kAcceptable) && !stopped_)
    return makeError("packing lost precision: rate {0} GB/s, bound {1} after "
                     "{2} iterations; are the links' bandwidths many orders of "
                     "magnitude apart?",
                     result.packing.algbw, result.certificate.bound,
                     iterations_);
  if (Error error = problem_.problem().verify(result.packing))
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
    stopped_ = !watch();
  } while (!met(kAim) && !stalled_ && !stopped_);
  return finish();
}

/// Checks that a problem of many ranks has few enough paths, and few enough
/// that are not images of others.
static Error checkSize(const SymmetricProblem &problem) {
  constexpr size_t kMostPairs =
      size_t(RankTopology::kMostPaired) * RankTopology::kMostPaired;
  constexpr size_t kMostEdges = size_t(1) << 20; // one tree per root
  const RankTopology &machine = *problem.problem().rankTopology;
  const auto n = size_t(machine.numRanks());
  if (n <= size_t(RankTopology::kMostPaired))
    return Error::success();
  const std::vector<int> &alike = problem.symmetry().representatives();
  if (alike.size() * n > kMostEdges)
    return makeError("{0} ranks, of which {1} are alike to no other: more than "
                     "{2} ranks are packed only on machines as regular as that "
                     "no more than {3} are; leave GPUs out",
                     n, alike.size(), RankTopology::kMostPaired,
                     kMostEdges / n);
  const std::vector<double> prices(machine.topology().links.size(), 0.0);
  const PathTable table = machine.cheapestPaths(prices, alike);
  const auto pairs =
      size_t(llvm::count_if(table.costs,
                            [](double cost) { return cost < kInfinity; })) *
      size_t(problem.order());
  if (pairs <= kMostPairs)
    return Error::success();
  return makeError("{0} ranks have paths between {1} pairs of them, more than "
                   "the {2} that can be packed; on links of kind network "
                   "compile limits them (--max-peers)",
                   n, pairs, kMostPairs);
}

Expected<PackedTrees> blink::packTrees(const PackingProblem &problem,
                                       const SolveWatcher &watcher,
                                       double slack) {
  if (Error error = problem.check())
    return error;
  if (problem.rankTopology->numRanks() == 1) {
    PackedTrees result;
    result.packing.trees.emplace_back();
    result.packing.algbw = kInfinity;
    result.candidates = result.packing.trees;
    result.certificate.prices.assign(
        problem.rankTopology->topology().links.size(), 0.0);
    result.certificate.bound = kInfinity;
    return result;
  }
  if (isPairwise(problem.collective))
    return packPairs(problem);
  if (std::optional<PackedTrees> grown =
          packGrown(problem, std::min(slack, kMostSlack)))
    return std::move(*grown);
  const SymmetricProblem reduced = SymmetricProblem::reduce(problem);
  if (Error error = checkSize(reduced))
    return error;
  if (std::optional<PackedTrees> stars =
          packStars(reduced, std::min(slack, kMostSlack)))
    return std::move(*stars);
  return ColumnGeneration(reduced, watcher).run();
}

Expected<std::optional<PackedTrees>>
blink::packWithSwitches(const PackingProblem &problem, const PackedTrees &plain,
                        const SolveWatcher &watcher) {
  constexpr double kFaster = 1 + 1e-6;
  if (problem.switches.empty())
    return std::nullopt;
  Expected<PackedTrees> packed = packTrees(problem, watcher);
  if (!packed)
    return packed.takeError();
  if (packed->packing.algbw <= plain.packing.algbw * kFaster)
    return std::nullopt;
  return std::move(*packed);
}

Expected<PackingCertificate> blink::boundRate(const PackingProblem &problem,
                                              const SolveWatcher &watcher) {
  Expected<PackedTrees> packed = packManyRanks(problem, watcher, kMostSlack);
  if (!packed)
    return packed.takeError();
  return std::move(packed->certificate);
}

/// Returns true if the bound of many ranks is computed by spanningCost: either
/// its undirected trees are as cheap as the cheapest arborescences, or the
/// ranks are too many for any other method.
static bool hasSpanningCost(const SymmetricProblem &problem) {
  constexpr int kManyRanks = 1024; // up to here, trees are priced root by root
  const PackingProblem &of = problem.problem();
  const int n = of.rankTopology->numRanks();
  return n > kManyRanks && !isRooted(of.collective) &&
         !isRouted(of.collective) && !isPairwise(of.collective) &&
         !of.association && of.switches.empty() &&
         of.rankTopology->relays().empty() && !of.rankTopology->isPhased() &&
         (problem.symmetry().representatives().size() == 1 ||
          n > RankTopology::kMostPaired);
}

/// Returns the bound at prices that are the same on all links of a row.
static double spanningBound(const SymmetricProblem &problem,
                            const std::vector<double> &prices) {
  const RankTopology &machine = *problem.problem().rankTopology;
  double cost = spanningCost(
      problem.symmetry(),
      machine.cheapestPaths(prices, problem.symmetry().representatives()));
  if (problem.problem().collective == Collective::allreduce)
    cost *= 2; // an in-tree and an out-tree
  double value = 0;
  for (size_t link = 0; link < prices.size(); ++link)
    value += prices[link] * machine.topology().links[link].bandwidth;
  return cost > 0 ? value / cost : kInfinity;
}

Expected<PackingCertificate> blink::boundAt(const PackingProblem &problem,
                                            std::vector<double> prices) {
  if (Error error = problem.check())
    return error;
  return boundAt(SymmetricProblem::reduce(problem), std::move(prices));
}

PackingCertificate blink::boundAt(const SymmetricProblem &problem,
                                  std::vector<double> prices) {
  PackingCertificate certificate;
  if (hasSpanningCost(problem)) {
    certificate.prices = problem.averaged(std::move(prices));
    certificate.bound = spanningBound(problem, certificate.prices);
    return certificate;
  }
  TreePricer pricer(problem);
  pricer.setPrices(problem.averaged(std::move(prices)));
  certificate.prices = pricer.prices();
  certificate.bound = pricer.bound(pricer.cheapestOfAll());
  return certificate;
}
