//===- FitWeights.cpp - from a solver's weights to a packing ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/lp/FitWeights.h"

#include "compiler/packing/lp/ColumnPool.h"

#include <algorithm>
#include <limits>
#include <map>

using namespace blink;

namespace {

/// A tree with less than this fraction of the total weight is a rounding error:
/// shares are multiples of 2^-30 (Shares.cpp).
constexpr double kNegligible = 2e-9;

/// Drops negligible trees, sorts the others by content, and merges equal ones.
std::vector<Tree> normalize(std::vector<Tree> trees) {
  double total = 0;
  for (const Tree &tree : trees)
    total += std::max(tree.weight, 0.0);
  std::vector<std::pair<std::vector<int>, Tree>> keyed;
  for (Tree &tree : trees)
    if (tree.weight > total * kNegligible) {
      std::vector<int> key = contentKey(tree);
      keyed.emplace_back(std::move(key), std::move(tree));
    }
  std::stable_sort(
      keyed.begin(), keyed.end(),
      [](const auto &a, const auto &b) { return a.first < b.first; });
  std::vector<Tree> result;
  for (size_t index = 0; index < keyed.size(); ++index) {
    if (index > 0 && keyed[index].first == keyed[index - 1].first)
      result.back().weight += keyed[index].second.weight;
    else
      result.push_back(std::move(keyed[index].second));
  }
  return result;
}

std::vector<double> weightPerBlock(const std::vector<Tree> &trees, int blocks) {
  std::vector<double> sums(blocks, 0.0);
  for (const Tree &tree : trees)
    sums[blocks > 1 ? tree.root : 0] += tree.weight;
  return sums;
}

} // namespace

Packing blink::fitWeights(const PackingProblem &problem,
                          std::vector<Tree> trees) {
  Packing packing;
  packing.trees = normalize(std::move(trees));
  int blocks = numBlocks(problem.collective, problem.rankTopology->numRanks());
  std::vector<double> sums = weightPerBlock(packing.trees, blocks);
  double least = *std::min_element(sums.begin(), sums.end());
  if (!(least > 0))
    return {};
  for (Tree &tree : packing.trees)
    tree.weight *= least / sums[blocks > 1 ? tree.root : 0];

  const std::vector<Link> &links = problem.rankTopology->topology().links;
  std::vector<double> loads = problem.linkLoads(packing);
  double factor = std::numeric_limits<double>::infinity();
  for (size_t link = 0; link < links.size(); ++link)
    if (loads[link] > 0)
      factor = std::min(factor, links[link].bandwidth / loads[link]);
  for (Tree &tree : packing.trees)
    tree.weight *= factor;
  packing.algbw =
      least * factor *
      blocksOfBuffer(problem.collective, problem.rankTopology->numRanks());
  return packing;
}

Packing blink::fitColumns(const ColumnPool &pool,
                          const std::vector<double> &weights) {
  const SymmetricProblem &problem = pool.problem();
  double total = 0;
  for (double weight : weights)
    total += weight;
  std::vector<int> columns;
  std::map<int, double> sums; // per root; or one for all
  auto sumOf = [&](int column) -> double & {
    return sums[problem.rootsAreEqual() ? pool.tree(column).root : 0];
  };
  for (size_t column = 0; column < weights.size(); ++column)
    if (weights[column] > total * kNegligible) {
      columns.push_back(static_cast<int>(column));
      sumOf(columns.back()) += weights[column];
    }
  size_t roots = problem.rootsAreEqual() ? problem.roots().size() : 1;
  if (sums.size() < roots)
    return {};
  double least = std::numeric_limits<double>::infinity();
  for (auto [root, sum] : sums)
    least = std::min(least, sum);
  std::vector<double> loads(problem.numRows(), 0.0);
  for (int column : columns)
    for (const RowUse &use : pool.uses(column))
      loads[use.row] += use.times * weights[column] * least / sumOf(column);
  double factor = std::numeric_limits<double>::infinity();
  for (int row = 0; row < problem.numRows(); ++row)
    if (loads[row] > 0)
      factor = std::min(factor, problem.capacity(row) / loads[row]);

  Packing packing;
  packing.algbw = least * factor * problem.ratePerWeight();
  std::sort(columns.begin(), columns.end(), [&](int a, int b) {
    return contentKey(pool.tree(a)) < contentKey(pool.tree(b));
  });
  for (int column : columns) {
    Tree tree = pool.tree(column);
    tree.weight = weights[column] * least / sumOf(column) * factor;
    packing.trees.push_back(std::move(tree));
  }
  std::stable_sort(
      packing.trees.begin(), packing.trees.end(),
      [](const Tree &a, const Tree &b) { return a.root < b.root; });
  return problem.withImages(std::move(packing));
}
