//===- SelectKept.cpp - the forest whose rate links keep ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/SelectKept.h"

#include "compiler/passes/BetterForest.h"
#include "compiler/support/Infinity.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace blink;
using llvm::Error;

namespace {

/// Looks for the best forest, one candidate after the other.
class KeptForest {
public:
  KeptForest(const PackingProblem &problem, const PackedTrees &packed,
             const SelectOptions &options)
      : problem_(problem), packed_(packed), options_(options) {}

  llvm::Expected<SelectedForest> find(Packing selected);

private:
  llvm::Expected<double> offer(Packing packing, double slower);
  Error offerFair(Packing packing, double slower);
  Error offerSmaller();

  double optimum() const { return packed_.packing.algbw; }
  double slackOf(double slack) const { return std::max(options_.slack, slack); }

  const PackingProblem &problem_;
  const PackedTrees &packed_;
  const SelectOptions &options_;
  std::optional<TimedForest> best_;
  double rateOfFair_ = 0; ///< highest rate of best forests that keep it
};

/// Returns true if two forests differ at most in the rounding of their weights.
bool areAlike(const Packing &forest, const Packing &other) {
  constexpr double kRounding = 1e-9;
  return std::equal(forest.trees.begin(), forest.trees.end(),
                    other.trees.begin(), other.trees.end(),
                    [](const Tree &a, Tree b) {
                      if (std::abs(a.weight - b.weight) <= kRounding * a.weight)
                        b.weight = a.weight;
                      return a == b;
                    });
}

/// Takes the forest if it is better than the best so far. The fluid model is
/// trusted if it says that the forest keeps its rate and links have room left.
/// Otherwise the forest is simulated, because slots may keep the rate of unfair
/// trees, and fair trees that leave links little or no room may drift apart. A
/// forest that could not be better even if it kept its whole rate is not
/// simulated. Returns the part that is known to be kept.
llvm::Expected<double> KeptForest::offer(Packing packing, double slower) {
  constexpr double kWithRoom = 0.99;
  if (best_ && areAlike(packing, best_->packing()))
    return best_->part();
  llvm::Expected<TimedForest> forest =
      TimedForest::create(problem_, std::move(packing));
  if (!forest)
    return forest.takeError();
  const bool mayDrift =
      forest->rate() > kWithRoom * optimum() || !forest->isFair(problem_);
  llvm::Expected<bool> best = true;
  if (best_)
    best = mayDrift ? isBetterSimulated(*forest, *best_, slower)
                    : isBetter(*forest, *best_, slower);
  else if (mayDrift)
    if (Error error = forest->simulate(/*least=*/0))
      return error;
  if (!best)
    return best.takeError();
  const double part = forest->part();
  if (*best)
    best_ = std::move(*forest);
  return part;
}

Error KeptForest::offerFair(Packing packing, double slower) {
  const double rate = packing.algbw;
  llvm::Expected<double> part = offer(std::move(packing), slower);
  if (!part)
    return part.takeError();
  if (*part >= kKept && rate == best_->rate())
    rateOfFair_ = std::max(rateOfFair_, rate);
  return Error::success();
}

/// Offers forests of lower rates, unless fair trees have as much or nearly all
/// of the rate is kept.
Error KeptForest::offerSmaller() {
  constexpr double kNearlyAll = 0.985;
  SelectOptions options = options_;
  for (double slack : {kWideSlack / 2, kWideSlack}) {
    if (rateOfFair_ > 0 ? rateOfFair_ >= (1 - slack) * optimum()
                        : best_->part() >= kNearlyAll)
      break;
    options.slack = slackOf(slack);
    llvm::Expected<Packing> smaller = selectTrees(problem_, packed_, options);
    if (!smaller)
      return smaller.takeError();
    if (llvm::Expected<double> part = offer(std::move(*smaller), kInfinity);
        !part)
      return part.takeError();
  }
  return Error::success();
}

/// Fair trees need no simulation and may make that of the selected forest
/// unnecessary, so they come first. Those of higher rates have more trees, with
/// which short messages may be slower.
llvm::Expected<SelectedForest> KeptForest::find(Packing selected) {
  llvm::Expected<std::vector<Packing>> fair = selectFairTrees(
      problem_, packed_, options_,
      {slackOf(kWideSlack), slackOf(kWideSlack / 2), options_.slack});
  if (!fair)
    return fair.takeError();
  if (!fair->empty())
    if (Error error = offerFair(std::move(fair->front()), kInfinity))
      return error;
  if (llvm::Expected<double> part = offer(std::move(selected), kInfinity);
      !part)
    return part.takeError();
  for (Packing &packing : llvm::drop_begin(*fair, fair->empty() ? 0 : 1))
    if (Error error = offerFair(std::move(packing), kLittleSlower))
      return error;
  if (Error error = offerSmaller())
    return error;
  return SelectedForest{best_->packing(), best_->parts()};
}

} // namespace

llvm::Expected<SelectedForest> blink::selectKept(const PackingProblem &problem,
                                                 const PackedTrees &packed,
                                                 Packing selected,
                                                 const SelectOptions &options) {
  return KeptForest(problem, packed, options).find(std::move(selected));
}
