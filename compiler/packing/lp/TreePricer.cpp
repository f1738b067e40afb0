//===- TreePricer.cpp - cheapest trees at given link prices -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/lp/TreePricer.h"

#include "compiler/packing/trees/LowTree.h"
#include "compiler/packing/trees/ShortestPathTree.h"
#include "compiler/support/Infinity.h"

#include <algorithm>
#include <cmath>

using namespace blink;

TreePricer::TreePricer(const SymmetricProblem &problem)
    : problem_(problem), numRanks_(problem.problem().rankTopology->numRanks()) {
}

void TreePricer::setPrices(std::vector<double> prices) {
  prices_ = std::move(prices);
  const Symmetry &symmetry = problem_.symmetry();
  paths_ = problem_.problem().rankTopology->cheapestPaths(
      prices_, symmetry.representatives());
  costs_ = paths_.costs;
  for (int from = 0; from < numRanks_; ++from) {
    int element = symmetry.elementTo(from);
    const double *row =
        &paths_.costs[size_t(symmetry.representative(from)) * numRanks_];
    double *image = &costs_[size_t(from) * numRanks_];
    if (element != 0)
      for (int to = 0; to < numRanks_; ++to)
        image[symmetry.mapRank(element, to)] = row[to];
  }
  if (hasUpTrees(problem_.problem().collective))
    transposed_ = transposed(costs_, numRanks_);
}

Path TreePricer::path(int from, int to) const {
  const Symmetry &symmetry = problem_.symmetry();
  int element = symmetry.elementTo(from);
  int back = symmetry.inverse(element);
  const Path &path =
      paths_.path(symmetry.representative(from), symmetry.mapRank(back, to));
  return element == 0 ? path : symmetry.mapPath(element, path);
}

double TreePricer::costOf(const CostMatrix &costs, const Parents &parents,
                          int root) const {
  return isRouted(problem_.problem().collective)
             ? sumOfDistances(costs, parents, root)
             : blink::costOf(costs, parents);
}

PricedTree
TreePricer::price(int root,
                  llvm::function_ref<Parents(const CostMatrix &)> solve) const {
  Collective collective = problem_.problem().collective;
  PricedTree tree;
  tree.root = root;
  if (hasUpTrees(collective)) {
    tree.up = solve(transposed_);
    tree.cost = costOf(transposed_, tree.up, root);
  }
  if (problem_.mirrors()) {
    tree.cost *= 2;
  } else if (hasDownTrees(collective)) {
    tree.down = solve(costs_);
    tree.cost += costOf(costs_, tree.down, root);
  }
  return tree;
}

PricedTree TreePricer::cheapest(int root) const {
  return price(root, [&](const CostMatrix &costs) {
    return isRouted(problem_.problem().collective)
               ? shortestPathTree(costs, numRanks_, root)
               : minArborescence(costs, numRanks_, root);
  });
}

PricedTree TreePricer::low(int root, int maxDepth) const {
  return price(root, [&](const CostMatrix &costs) {
    return isRouted(problem_.problem().collective)
               ? lowShortestPathTree(costs, numRanks_, root, maxDepth)
               : lowTree(costs, numRanks_, root, maxDepth);
  });
}

Tree TreePricer::materialize(const PricedTree &priced) const {
  Tree tree;
  tree.root = priced.root;
  if (!priced.up.empty()) {
    std::vector<int> order = breadthFirst(priced.up, priced.root);
    for (auto rank = order.rbegin(); *rank != priced.root; ++rank) {
      int parent = priced.up[*rank];
      tree.up.push_back({*rank, parent, path(*rank, parent)});
    }
  }
  if (!priced.down.empty())
    for (int rank : breadthFirst(priced.down, priced.root))
      if (rank != priced.root) {
        int parent = priced.down[rank];
        tree.down.push_back({parent, rank, path(parent, rank)});
      }
  if (problem_.mirrors())
    problem_.addMirrored(tree);
  return tree;
}

int TreePricer::lowestDepth() const {
  Collective collective = problem_.problem().collective;
  int depth = 1;
  for (int root : problem_.roots()) {
    if (hasUpTrees(collective))
      depth = std::max(depth, eccentricity(transposed_, numRanks_, root));
    if (hasDownTrees(collective))
      depth = std::max(depth, eccentricity(costs_, numRanks_, root));
  }
  return depth;
}

double TreePricer::cheapestCost(const std::vector<PricedTree> &cheapest) const {
  double least = kInfinity, sum = 0;
  for (const PricedTree &tree : cheapest) {
    least = std::min(least, tree.cost);
    sum += tree.cost;
  }
  double cost =
      problem_.rootsAreEqual() ? sum / double(cheapest.size()) : least;
  return cost / problem_.unitCost();
}

double TreePricer::bound(const std::vector<PricedTree> &cheapest) const {
  double cost = cheapestCost(cheapest);
  if (!(cost > 0) || std::isinf(cost))
    return kInfinity;
  double value = 0;
  const std::vector<Link> &links =
      problem_.problem().rankTopology->topology().links;
  for (size_t link = 0; link < links.size(); ++link)
    value += prices_[link] * links[link].bandwidth;
  return value / cost;
}
