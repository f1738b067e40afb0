//===- TreePricer.cpp - cheapest trees at given link prices -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/lp/TreePricer.h"

#include "compiler/packing/trees/LowTree.h"
#include "compiler/packing/trees/ShortestPathTree.h"
#include "compiler/support/Infinity.h"
#include "compiler/topology/fabric/SpreadPaths.h"

#include <algorithm>
#include <cmath>

using namespace blink;

TreePricer::TreePricer(const SymmetricProblem &problem)
    : problem_(problem), numRanks_(problem.problem().rankTopology->numRanks()) {
}

/// Finds the possible gates for each root. They depend on which pairs of ranks
/// have paths, but not on the prices.
void TreePricer::findGates() {
  const RankTopology &rankTopology = *problem_.problem().rankTopology;
  const std::vector<bool> outward =
      outwardRanks(rankTopology.serverOf(), costs_);
  for (int root : problem_.roots())
    gates_[root] = gatesFor(
        rankTopology.serverOf(), root,
        problem_.problem().collective == Collective::allreduce, outward);
}

void TreePricer::setPrices(std::vector<double> prices) {
  constexpr int kWays = 16;
  prices_ = std::move(prices);
  const Symmetry &symmetry = problem_.symmetry();
  const PackingProblem &of = problem_.problem();
  // All ranks but the root have few paths each in a tree with one root.
  const auto waysOf = [&](int from) {
    return isRooted(of.collective) && from != of.root ? 1 : kWays;
  };
  paths_.emplace(symmetry, spreadPaths(*of.rankTopology, prices_,
                                       symmetry.representatives(), waysOf));
  if (!pairs_)
    pairs_.emplace(*paths_);
  costs_ = pairs_->withCosts(paths_->table().costs);
  reversed_ = costs_.reversed();
  if (gates_.empty() && problem_.problem().rankTopology->isPhased())
    findGates();
  if (problem_.problem().association)
    ordered_.emplace(*problem_.problem().association, paths_->table());
}

double TreePricer::costOf(const CostGraph &costs, const Parents &parents,
                          int root) const {
  return isRouted(problem_.problem().collective)
             ? sumOfDistances(costs, parents, root)
             : blink::costOf(costs, parents);
}

double TreePricer::starCost(const SwitchStar &star, int root, bool up) const {
  double price = prices_[(up ? star.fromSwitch : star.toSwitch)[root]];
  for (int link : up ? star.toSwitch : star.fromSwitch)
    price += prices_[link];
  return price;
}

/// Lets a switch do one part of `tree` or both if that is cheaper than `up` and
/// `down`, the costs of these parts without it.
void TreePricer::useSwitch(PricedTree &tree, double up, double down) const {
  const std::vector<SwitchStar> &stars = problem_.problem().switches;
  for (size_t number = 0; number < stars.size(); ++number) {
    const SwitchStar &star = stars[number];
    double reduce = kInfinity, multicast = kInfinity;
    if (star.reduces && !tree.up.empty())
      reduce = starCost(star, tree.root, /*up=*/true);
    if (star.multicasts && !tree.down.empty())
      multicast = starCost(star, tree.root, /*up=*/false);
    const double cost = std::min(up, reduce) + std::min(down, multicast);
    if (cost >= tree.cost)
      continue;
    tree.cost = cost;
    tree.star = int(number);
    tree.starReduces = reduce < up;
    tree.starMulticasts = multicast < down;
  }
}

PricedTree TreePricer::priceOver(int root, const CostGraph &costs,
                                 const CostGraph &reversed, Solve solve) const {
  Collective collective = problem_.problem().collective;
  PricedTree tree;
  tree.root = root;
  if (ordered_) {
    tree.cost = ordered_->cost(root);
    tree.places = ordered_->places(root);
  } else if (hasUpTrees(collective)) {
    tree.up = solve(reversed, costs);
    tree.cost = costOf(reversed, tree.up, root);
  }
  const double up = tree.cost;
  double down = 0;
  if (!problem_.mirrors() && hasDownTrees(collective)) {
    tree.down = solve(costs, reversed);
    down = costOf(costs, tree.down, root);
    tree.cost += down;
  }
  useSwitch(tree, up, down);
  if (problem_.mirrors())
    tree.cost *= 2;
  return tree;
}

PricedTree TreePricer::price(int root, Solve solve) const {
  if (gates_.empty())
    return priceOver(root, costs_, reversed_, solve);
  // Earlier choices of gates keep the tree unless a later one is cheaper by
  // more than rounding.
  constexpr double kCheaper = 1 - 1e-9;
  const std::vector<int> &serverOf =
      problem_.problem().rankTopology->serverOf();
  PricedTree best;
  best.root = root;
  best.cost = kInfinity;
  for (const Gates &gates : gates_.at(root)) {
    PricedTree tree =
        priceOver(root, throughGates(costs_, serverOf, gates),
                  throughGates(reversed_, serverOf, gates), solve);
    if (tree.cost < best.cost * kCheaper)
      best = std::move(tree);
  }
  return best;
}

PricedTree TreePricer::cheapest(int root) const {
  return price(root, [&](const CostGraph &costs, const CostGraph &into) {
    return isRouted(problem_.problem().collective)
               ? shortestPathTree(costs, root)
               : minArborescence(into, root);
  });
}

std::vector<PricedTree> TreePricer::cheapestOfAll() const {
  std::vector<PricedTree> trees;
  for (int root : problem_.roots())
    trees.push_back(cheapest(root));
  return trees;
}

PricedTree TreePricer::low(int root, int maxDepth) const {
  return price(root, [&](const CostGraph &costs, const CostGraph &into) {
    return isRouted(problem_.problem().collective)
               ? lowShortestPathTree(costs, root, maxDepth)
               : lowTree(costs, into, root, maxDepth);
  });
}

/// Adds the part of a tree for which a switch works.
void TreePricer::addStar(Tree &tree, const SwitchStar &star, bool up) const {
  (up ? tree.switchUse.reduces : tree.switchUse.multicasts) = true;
  for (int rank = 0; rank < numRanks_; ++rank) {
    const int from = up ? rank : tree.root, to = up ? tree.root : rank;
    if (from != to)
      (up ? tree.up : tree.down)
          .push_back({from, to, {star.toSwitch[from], star.fromSwitch[to]}});
  }
}

Tree TreePricer::materialize(const PricedTree &priced) const {
  Tree tree;
  tree.root = priced.root;
  if (priced.star >= 0) {
    const SwitchStar &star = problem_.problem().switches[size_t(priced.star)];
    tree.switchUse.toSwitch = star.toSwitch[tree.root];
    tree.switchUse.fromSwitch = star.fromSwitch[tree.root];
    if (priced.starReduces)
      addStar(tree, star, /*up=*/true);
    if (priced.starMulticasts)
      addStar(tree, star, /*up=*/false);
  }
  if (!priced.up.empty() && !priced.starReduces) {
    std::vector<int> order = breadthFirst(priced.up, priced.root);
    for (auto rank = order.rbegin(); *rank != priced.root; ++rank) {
      int parent = priced.up[*rank];
      tree.up.push_back({*rank, parent, paths_->path(*rank, parent)});
    }
  }
  if (ordered_)
    tree.up = ordered_->edges(priced.places);
  if (!priced.down.empty() && !priced.starMulticasts)
    for (int rank : breadthFirst(priced.down, priced.root))
      if (rank != priced.root) {
        int parent = priced.down[rank];
        tree.down.push_back({parent, rank, paths_->path(parent, rank)});
      }
  if (problem_.mirrors())
    problem_.addMirrored(tree);
  return tree;
}

int TreePricer::lowestDepth(int root, const CostGraph &costs,
                            const CostGraph &reversed) const {
  Collective collective = problem_.problem().collective;
  int depth = 1;
  if (hasUpTrees(collective))
    depth = std::max(depth, eccentricity(reversed, root));
  if (hasDownTrees(collective))
    depth = std::max(depth, eccentricity(costs, root));
  return depth;
}

int TreePricer::lowestDepth() const {
  if (ordered_)
    return numRanks_ - 1;
  int depth = 1;
  for (int root : problem_.roots()) {
    if (gates_.empty()) {
      depth = std::max(depth, lowestDepth(root, costs_, reversed_));
      continue;
    }
    int least = numRanks_ - 1;
    for (const Gates &gates : gates_.at(root)) {
      const std::vector<int> &serverOf =
          problem_.problem().rankTopology->serverOf();
      const CostGraph costs = throughGates(costs_, serverOf, gates);
      const CostGraph reversed = costs.reversed();
      if (minArborescence(reversed, root).empty())
        continue;
      least = std::min(least, lowestDepth(root, costs, reversed));
    }
    depth = std::max(depth, least);
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
