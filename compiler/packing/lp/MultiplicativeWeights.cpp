//===- MultiplicativeWeights.cpp - a first set of trees ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/lp/MultiplicativeWeights.h"

#include <algorithm>
#include <cmath>

using namespace blink;

namespace {

/// How much the price of the fullest link grows in a round, relative.
constexpr double kStep = 0.25;

/// Limits the number of trees; a few rows are balanced soon.
int roundsFor(const SymmetricProblem &problem) {
  const int roots = static_cast<int>(problem.roots().size());
  const int rounds = std::max(4, std::min(128 / roots, 4 * problem.numRows()));
  // With one root, each round searches for paths from every rank.
  constexpr int kMostSearches = 1 << 14;
  const auto sources =
      static_cast<int>(problem.symmetry().representatives().size());
  return std::max(1, std::min(rounds, kMostSearches / sources));
}

} // namespace

double blink::packApproximately(const SymmetricProblem &problem,
                                TreePricer &pricer, int maxDepth,
                                ColumnPool &pool) {
  std::vector<double> prices = pricer.prices();
  std::vector<double> loads(problem.numRows(), 0.0);
  std::vector<double> factors(problem.numRows(), 1.0);
  int rounds = roundsFor(problem), packed = 0;
  for (int round = 0; round < rounds; ++round) {
    if (round > 0)
      pricer.setPrices(prices);
    std::vector<double> added(problem.numRows(), 0.0);
    for (int root : problem.roots()) {
      PricedTree priced = pricer.low(root, maxDepth);
      if (std::isinf(priced.cost))
        priced = pricer.cheapest(root);
      if (std::isinf(priced.cost)) {
        // In phases, a rank may reach the others and yet be no root.
        if (problem.rootsAreEqual())
          return 0;
        continue;
      }
      Tree tree = pricer.materialize(priced);
      for (const RowUse &use : problem.uses(tree))
        added[use.row] += use.times;
      pool.add(std::move(tree));
      ++packed;
    }
    if (packed == 0)
      return 0;
    double fullest = 0;
    for (int row = 0; row < problem.numRows(); ++row) {
      loads[row] += added[row];
      fullest = std::max(fullest, added[row] / problem.capacity(row));
    }
    for (int row = 0; row < problem.numRows(); ++row)
      factors[row] = 1 + kStep * added[row] / problem.capacity(row) / fullest;
    for (size_t link = 0; link < prices.size(); ++link)
      if (int row = problem.rowOf(static_cast<int>(link)); row >= 0)
        prices[link] *= factors[row];
  }
  double fullest = 0;
  for (int row = 0; row < problem.numRows(); ++row)
    fullest = std::max(fullest, loads[row] / problem.capacity(row));
  // If roots are equal, a round gave one tree to each.
  double weight = problem.rootsAreEqual() ? rounds : packed;
  return problem.ratePerWeight() * weight / fullest;
}
