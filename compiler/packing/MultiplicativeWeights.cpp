//===- MultiplicativeWeights.cpp - a first set of trees ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/MultiplicativeWeights.h"

#include "compiler/packing/FitWeights.h"

#include <algorithm>
#include <cmath>

using namespace blink;

namespace {

/// How much the price of the fullest link grows in a round.
constexpr double kStep = 0.5;

/// A budget of trees, within bounds on the rounds.
int roundsFor(size_t roots) {
  return std::clamp(128 / static_cast<int>(roots), 4, 32);
}

} // namespace

double blink::packApproximately(const PackingProblem &problem,
                                TreePricer &pricer, int maxDepth,
                                ColumnPool &pool) {
  const Fabric &fabric = *problem.fabric;
  const std::vector<Link> &links = fabric.topology().links;
  std::vector<double> prices(links.size(), 0.0);
  for (size_t link = 0; link < links.size(); ++link)
    if (fabric.usable(static_cast<int>(link)))
      prices[link] = 1 / links[link].bandwidth;

  std::vector<Tree> packed;
  for (int round = roundsFor(pricer.roots().size()); round > 0; --round) {
    pricer.setPrices(prices);
    std::vector<double> loads(links.size(), 0.0);
    for (int root : pricer.roots()) {
      PricedTree priced = pricer.low(root, maxDepth);
      if (std::isinf(priced.cost))
        priced = pricer.cheapest(root);
      Tree tree = pricer.materialize(priced);
      tree.weight = 1;
      for (const LinkUse &use : linkUses(tree))
        loads[use.link] += use.times;
      pool.add(tree);
      packed.push_back(std::move(tree));
    }
    double fullest = 0;
    for (size_t link = 0; link < links.size(); ++link)
      fullest = std::max(fullest, loads[link] / links[link].bandwidth);
    for (size_t link = 0; link < links.size(); ++link)
      prices[link] *= 1 + kStep * loads[link] / links[link].bandwidth / fullest;
  }
  return fitWeights(problem, std::move(packed)).algbw;
}
