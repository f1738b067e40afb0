//===- SpreadTrees.cpp - fast trees over several lanes --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/SpreadTrees.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace blink;

/// GB/s that the busiest of the folds moves, with zero copy.
static double busiestOf(const std::vector<TreeFold> &folds, const Tree &tree) {
  double most = 0;
  for (const TreeFold &fold : folds)
    most = std::max(most, movesOf(fold.moves.direct));
  return most * tree.weight;
}

double blink::busiestFold(const PackingProblem &problem, const Tree &tree) {
  return busiestOf(foldsOf(problem, tree), tree);
}

/// The fewest parts that leave none above `level`.
static unsigned partsOf(double load, double level) {
  constexpr double kRounding = 1e-9;
  return std::max(1u, unsigned(std::ceil(load / level * (1 - kRounding))));
}

void LaneBalance::include(const LaneBalance &rank) {
  fullest = std::max(fullest, rank.fullest);
  idle |= rank.idle;
}

LaneBalance blink::balanceOf(const std::vector<FoldLoad> &loads,
                             size_t maxLanes) {
  double sum = 0, fullest = 0, least = std::numeric_limits<double>::infinity();
  std::vector<std::vector<size_t>> lanes = chooseLanes(loads, maxLanes);
  for (const std::vector<size_t> &lane : lanes) {
    double bytes = 0;
    for (size_t fold : lane)
      bytes += loads[fold].bytes;
    sum += bytes;
    fullest = std::max(fullest, bytes);
    least = std::min(least, bytes);
  }
  if (sum == 0)
    return {};
  return {fullest * double(lanes.size()) / sum, least == 0};
}

namespace {

/// The ways to split the trees of a packing down to equal loads.
class Splits {
public:
  Splits(const PackingProblem &problem, const Packing &packing,
         ForestTraits traits, size_t maxTrees)
      : problem_(problem), packing_(packing), folds_(foldsOf(problem, packing)),
        traits_(traits), maxTrees_(maxTrees) {
    for (size_t t = 0; t < packing.trees.size(); ++t)
      loads_.push_back(busiestOf(folds_[t], packing.trees[t]));
  }

  /// Of the busiest fold.
  double most() const {
    return *std::max_element(loads_.begin(), loads_.end());
  }
  /// Trees into parts that carry no more than `level`; nothing where these are
  /// too many.
  std::vector<unsigned> downTo(double level) const {
    std::vector<unsigned> parts;
    for (double load : loads_)
      parts.push_back(partsOf(load, level));
    if (maxTrees_ > 0 &&
        std::accumulate(parts.begin(), parts.end(), size_t(0)) > maxTrees_)
      parts.clear();
    return parts;
  }
  MessageTime timeOf(const std::vector<unsigned> &parts) const {
    return blink::timeOf(problem_, packing_, folds_, traits_, parts);
  }
  /// Of the ranks that use all lanes; nothing where parts need too many
  /// channels.
  std::optional<LaneBalance> balance(const std::vector<unsigned> &parts) const;

private:
  const PackingProblem &problem_;
  const Packing &packing_;
  ForestFolds folds_;
  ForestTraits traits_;
  size_t maxTrees_;
  std::vector<double> loads_; ///< of each tree's busiest fold
};

} // namespace

std::optional<LaneBalance>
Splits::balance(const std::vector<unsigned> &parts) const {
  constexpr int kMostChannels = 256; // read by a rank
  LaneBalance balance;
  for (const RankFolds &rank :
       foldsOfRanks(packing_, folds_, problem_.fabric->numRanks(),
                    traits_.protocol, parts)) {
    if (rank.channels > 2 * kMostChannels)
      return std::nullopt;
    if (rank.loads.size() >= traits_.maxLanes)
      balance.include(balanceOf(rank.loads, traits_.maxLanes));
  }
  return balance;
}

std::vector<unsigned> blink::spreadTrees(const PackingProblem &problem,
                                         const Packing &packing,
                                         ForestTraits traits, size_t maxTrees) {
  // What is rounding is not worth more trees. Nor is what makes pipelines
  // shorter but no lane lighter, which is not what this is for.
  constexpr double kFaster = 1 - 1e-6;
  // The limit is an estimate, and parts cost turns.
  constexpr double kMargin = 1.25;
  double limit = costsOf(traits.protocol).lane;
  Splits splits(problem, packing, traits, maxTrees);
  double most = splits.most();
  std::vector<unsigned> best;
  if (partsOf(most, limit * kMargin) == 1)
    return best;
  unsigned needed = partsOf(most, limit);
  MessageTime least = splits.timeOf({});
  for (unsigned split = 2; split <= needed; ++split) {
    std::vector<unsigned> parts = splits.downTo(std::max(limit, most / split));
    if (parts.empty())
      break;
    MessageTime time = splits.timeOf(parts);
    if (time.perByte < least.perByte * kFaster &&
        time.at(kReferenceBytes) < least.at(kReferenceBytes) * kFaster) {
      least = std::move(time);
      best = std::move(parts);
    }
  }
  if (best.empty())
    return best;
  std::optional<LaneBalance> balance = splits.balance(best);
  for (unsigned split = 2; split <= traits.maxLanes; ++split) {
    if (!balance || balance->isEven())
      break;
    std::vector<unsigned> parts = splits.downTo(most / split);
    if (parts.empty())
      break;
    // No fewer than the limit asks for.
    for (size_t t = 0; t < parts.size(); ++t)
      parts[t] = std::max(parts[t], best[t]);
    std::optional<LaneBalance> now = splits.balance(parts);
    if (!now)
      break;
    if (now->isEven() || now->fullest < balance->fullest * kFaster) {
      balance = now;
      best = std::move(parts);
    }
  }
  return best;
}

Packing blink::splitTrees(const Packing &packing, unsigned parts) {
  Packing split;
  split.algbw = packing.algbw;
  for (const Tree &tree : packing.trees)
    for (unsigned part = 0; part < parts; ++part) {
      split.trees.push_back(tree);
      split.trees.back().weight /= parts;
    }
  return split;
}

Packing blink::spreadSmallTrees(const PackingProblem &problem,
                                const Packing &packing, ForestTraits traits) {
  constexpr double kFaster = 1 - 1e-6;
  Splits splits(problem, packing, traits, /*maxTrees=*/0);
  unsigned best = 1;
  double least = splits.timeOf({}).at(kSmallReferenceBytes);
  for (unsigned parts = 2; parts <= traits.maxLanes; parts *= 2) {
    std::vector<unsigned> all(packing.trees.size(), parts);
    if (!splits.balance(all))
      break;
    double time = splits.timeOf(all).at(kSmallReferenceBytes);
    if (time < least * kFaster) {
      least = time;
      best = parts;
    }
  }
  return splitTrees(packing, best);
}

SpreadShares blink::spreadShares(const std::vector<uint32_t> &numerators,
                                 uint32_t denominator,
                                 const std::vector<unsigned> &parts) {
  // The least factor that lets all numerators be divided.
  uint64_t factor = 1;
  for (size_t t = 0; t < parts.size() && factor * denominator <= UINT32_MAX;
       ++t)
    factor = std::lcm(factor,
                      uint64_t(parts[t] / std::gcd(parts[t], numerators[t])));
  if (factor * denominator > UINT32_MAX)
    factor = 1;
  SpreadShares shares;
  shares.denominator = uint32_t(denominator * factor);
  for (size_t t = 0; t < parts.size(); ++t) {
    auto whole = uint32_t(numerators[t] * factor);
    uint32_t count = std::clamp<uint32_t>(whole, 1, parts[t]);
    std::vector<uint32_t> &list = shares.numerators.emplace_back();
    for (uint32_t part = 0; part < count; ++part)
      list.push_back(whole / count + (part < whole % count));
  }
  return shares;
}
