//===- FitWeights.cpp - from a solver's weights to a packing ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/FitWeights.h"

#include "compiler/packing/ColumnPool.h"

#include <algorithm>
#include <limits>

using namespace blink;

namespace {

/// A tree below this part of all weights is rounding, not a tree.
constexpr double kNegligible = 1e-11;

/// Drops negligible trees, sorts by content, merges equal ones.
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
  int blocks = numBlocks(problem.collective, problem.fabric->numRanks());
  std::vector<double> sums = weightPerBlock(packing.trees, blocks);
  double least = *std::min_element(sums.begin(), sums.end());
  if (!(least > 0))
    return {};
  for (Tree &tree : packing.trees)
    tree.weight *= least / sums[blocks > 1 ? tree.root : 0];

  const std::vector<Link> &links = problem.fabric->topology().links;
  std::vector<double> loads = problem.linkLoads(packing);
  double factor = std::numeric_limits<double>::infinity();
  for (size_t link = 0; link < links.size(); ++link)
    if (loads[link] > 0)
      factor = std::min(factor, links[link].bandwidth / loads[link]);
  for (Tree &tree : packing.trees)
    tree.weight *= factor;
  packing.algbw = least * factor * blocks;
  return packing;
}
