//===- TreePricer.cpp - cheapest trees at given link prices -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/TreePricer.h"

#include "compiler/packing/LowTree.h"

#include <algorithm>
#include <limits>

using namespace blink;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The vertices in breadth-first order from the root.
std::vector<int> breadthFirst(const Parents &parents, int root) {
  std::vector<std::vector<int>> children(parents.size());
  for (size_t vertex = 0; vertex < parents.size(); ++vertex)
    if (parents[vertex] >= 0)
      children[parents[vertex]].push_back(static_cast<int>(vertex));
  std::vector<int> order{root};
  for (size_t next = 0; next < order.size(); ++next)
    order.insert(order.end(), children[order[next]].begin(),
                 children[order[next]].end());
  return order;
}

} // namespace

TreePricer::TreePricer(const PackingProblem &problem)
    : problem_(problem), numRanks_(problem.fabric->numRanks()) {
  if (isRooted(problem.collective)) {
    roots_ = {problem.root};
  } else {
    for (int rank = 0; rank < numRanks_; ++rank)
      roots_.push_back(rank);
  }
  twins_ = mirrorTwins(problem);
}

void TreePricer::setPrices(std::vector<double> prices) {
  prices_ = std::move(prices);
  for (size_t link = 0; link < twins_.size(); ++link)
    if (int twin = twins_[link]; twin > static_cast<int>(link))
      prices_[link] = prices_[twin] = (prices_[link] + prices_[twin]) / 2;
  paths_ = problem_.fabric->cheapestPaths(prices_);
  if (hasUpTrees(problem_.collective))
    transposed_ = transposed(paths_.costs, numRanks_);
}

PricedTree
TreePricer::price(int root,
                  llvm::function_ref<Parents(const CostMatrix &)> solve) const {
  PricedTree tree;
  tree.root = root;
  if (hasUpTrees(problem_.collective)) {
    tree.up = solve(transposed_);
    tree.cost = costOf(transposed_, tree.up);
  }
  if (mirrors()) {
    tree.cost *= 2;
  } else if (hasDownTrees(problem_.collective)) {
    tree.down = solve(paths_.costs);
    tree.cost += costOf(paths_.costs, tree.down);
  }
  return tree;
}

PricedTree TreePricer::cheapest(int root) const {
  return price(root, [&](const CostMatrix &costs) {
    return minArborescence(costs, numRanks_, root);
  });
}

PricedTree TreePricer::low(int root, int maxDepth) const {
  return price(root, [&](const CostMatrix &costs) {
    return lowTree(costs, numRanks_, root, maxDepth);
  });
}

Tree TreePricer::materialize(const PricedTree &priced) const {
  Tree tree;
  tree.root = priced.root;
  if (!priced.up.empty()) {
    std::vector<int> order = breadthFirst(priced.up, priced.root);
    for (auto rank = order.rbegin(); *rank != priced.root; ++rank) {
      int parent = priced.up[*rank];
      tree.up.push_back({*rank, parent, paths_.path(*rank, parent)});
    }
  }
  if (!priced.down.empty())
    for (int rank : breadthFirst(priced.down, priced.root))
      if (rank != priced.root) {
        int parent = priced.down[rank];
        tree.down.push_back({parent, rank, paths_.path(parent, rank)});
      }
  if (mirrors())
    addMirrored(tree, twins_);
  return tree;
}

double TreePricer::cheapestCost(const std::vector<PricedTree> &cheapest) const {
  double least = kInfinity, sum = 0;
  for (const PricedTree &tree : cheapest) {
    least = std::min(least, tree.cost);
    sum += tree.cost;
  }
  return numBlocks(problem_.collective, numRanks_) > 1 ? sum / numRanks_
                                                       : least;
}

double TreePricer::bound(const std::vector<PricedTree> &cheapest) const {
  double cost = cheapestCost(cheapest);
  if (!(cost > 0))
    return kInfinity;
  double value = 0;
  const std::vector<Link> &links = problem_.fabric->topology().links;
  for (size_t link = 0; link < links.size(); ++link)
    value += prices_[link] * links[link].bandwidth;
  return value / cost;
}
