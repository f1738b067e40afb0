//===- FairRate.cpp - the rate of trees that share links fairly -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/FairRate.h"

#include "compiler/support/FairShares.h"
#include "compiler/support/Infinity.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace blink;

/// Returns true if all links that the packing fills belong to a network. There,
/// windows hold trees to their weights (compiler/plan/ChunkChoice.h). Counts
/// each edge once, also in gathers and scatters, where an edge carries a block
/// for every rank behind it. Their forests then mostly stay whole: on parts of
/// a DGX-1, equal parts make 256 MiB 5 % faster, but 1 MiB 20 to 70 % slower.
static bool windowsPace(const PackingProblem &problem, const Packing &packing) {
  constexpr double kFull = 0.99;
  const std::vector<Link> &links = problem.rankTopology->topology().links;
  std::vector<double> loads(links.size(), 0);
  for (const Tree &tree : packing.trees)
    for (const auto *edges : {&tree.up, &tree.down})
      for (const TreeEdge &edge : *edges)
        for (int link : edge.path)
          loads[size_t(link)] += tree.weight;
  if (packing.symmetry)
    loads = packing.symmetry->sumOfImages(loads);
  for (size_t link = 0; link < links.size(); ++link)
    if (links[link].kind != LinkKind::network &&
        loads[link] >= kFull * links[link].bandwidth)
      return false;
  return true;
}

/// The links that the trees of a packing divide among themselves. Without
/// symmetry these are the topology's. With symmetry trees stand for their
/// images, and there is one link for each class. Its bandwidth is that of the
/// whole class, divided by the number of images.
struct DividedLinks {
  std::vector<double> bandwidths;
  const Symmetry *symmetry;

  uint32_t at(int link) const {
    return uint32_t(symmetry ? symmetry->linkClass(link) : link);
  }
};

static DividedLinks dividedLinks(const PackingProblem &problem,
                                 const Packing &packing) {
  const std::vector<Link> &links = problem.rankTopology->topology().links;
  DividedLinks divided{{}, packing.symmetry.get()};
  divided.bandwidths.resize(divided.symmetry
                                ? size_t(divided.symmetry->numLinkClasses())
                                : links.size());
  const double images = divided.symmetry ? divided.symmetry->order() : 1;
  for (size_t link = 0; link < links.size(); ++link)
    divided.bandwidths[divided.at(int(link))] += links[link].bandwidth / images;
  return divided;
}

/// Returns the links of a tree, each as often as the tree uses it.
static std::vector<uint32_t> linksOf(const DividedLinks &divided,
                                     const Tree &tree) {
  std::vector<uint32_t> links;
  for (const auto *edges : {&tree.up, &tree.down}) {
    if (edges == &tree.up ? tree.switchUse.reduces
                          : tree.switchUse.multicasts) {
      for (int link : linksOfSwitch(*edges, tree.switchUse))
        links.push_back(divided.at(link));
      continue;
    }
    for (const TreeEdge &edge : *edges)
      for (int link : edge.path)
        links.push_back(divided.at(link));
  }
  return links;
}

/// Returns the links of the tree's chain from or to each rank but the root.
static std::vector<std::vector<uint32_t>>
linksOfChains(const DividedLinks &divided, const Tree &tree, int numRanks) {
  std::map<int, std::vector<uint32_t>> chains; // by rank or relay
  const auto add = [&](const TreeEdge &edge, int near, int far) {
    std::vector<uint32_t> links = chains[near];
    for (int link : edge.path)
      links.push_back(divided.at(link));
    chains[far] = std::move(links);
  };
  for (const TreeEdge &edge : llvm::reverse(tree.up))
    add(edge, edge.to, edge.from);
  for (const TreeEdge &edge : tree.down)
    add(edge, edge.from, edge.to);
  std::vector<std::vector<uint32_t>> ofRanks;
  for (auto &[rank, links] : chains)
    if (rank != tree.root && rank < numRanks)
      ofRanks.push_back(std::move(links));
  return ofRanks;
}

/// Returns the seconds that all trees, divided into their parts, take to move
/// what they would move in one second at their weights.
static double secondsOf(const PackingProblem &problem, const Packing &packing,
                        const std::vector<unsigned> &parts) {
  std::vector<std::vector<uint32_t>> paths;
  std::vector<double> weights;
  DividedLinks divided = dividedLinks(problem, packing);
  const int numRanks = problem.rankTopology->numRanks();
  for (size_t t = 0; t < parts.size(); ++t) {
    const Tree &tree = packing.trees[t];
    const auto add = [&](const std::vector<uint32_t> &path) {
      paths.insert(paths.end(), parts[t], path);
      weights.insert(weights.end(), parts[t], tree.weight / parts[t]);
    };
    if (isRouted(problem.collective))
      llvm::for_each(linksOfChains(divided, tree, numRanks), add);
    else
      add(linksOf(divided, tree));
  }
  FairShares shares(paths, std::move(divided.bandwidths));
  const bool paced = windowsPace(problem, packing);
  for (uint32_t part = 0; part < weights.size(); ++part)
    shares.start(part, weights[part], 0, paced ? weights[part] : 1);
  double now = 0;
  for (double end = shares.nextEnd(0); end < kInfinity;
       end = shares.nextEnd(now)) {
    now = end;
    shares.finish(now);
  }
  return now;
}

double blink::fairRate(const PackingProblem &problem, const Packing &packing,
                       const std::vector<unsigned> &parts) {
  if (problem.rankTopology->numRanks() == 1)
    return packing.algbw;
  return packing.algbw / std::max(1.0, secondsOf(problem, packing, parts));
}

bool blink::isFair(const PackingProblem &problem, const Packing &packing,
                   const std::vector<unsigned> &parts) {
  constexpr double kFair = 0.99;
  return isRouted(problem.collective) ||
         fairRate(problem, packing, parts) >= kFair * packing.algbw;
}

/// The largest number of parts of the lightest tree.
constexpr unsigned kMostDivisions = 4;

/// For a routed collective with one root: returns the parts, of nearly equal
/// weight, with which links keep to the weights. If no such parts exist,
/// returns the fastest tried, preferring fewer parts unless more are 2 %
/// faster.
static std::vector<unsigned> evenRoutes(const PackingProblem &problem,
                                        const Packing &packing) {
  constexpr size_t kMostParts = 16;
  constexpr double kFair = 0.98, kBetter = 1.02;
  std::vector<unsigned> best(packing.trees.size(), 1);
  double most = fairRate(problem, packing, best);
  double least = kInfinity;
  for (const Tree &tree : packing.trees)
    least = std::min(least, tree.weight);
  for (unsigned divisions = 1;
       divisions <= kMostDivisions && most < kFair * packing.algbw;
       ++divisions) {
    std::vector<unsigned> parts;
    size_t sum = 0;
    for (const Tree &tree : packing.trees)
      sum += parts.emplace_back(
          unsigned(std::lround(tree.weight / least * divisions)));
    if (sum > kMostParts)
      break;
    const double rate = fairRate(problem, packing, parts);
    if (rate < kBetter * most)
      continue;
    most = rate;
    best = std::move(parts);
  }
  return best;
}

std::vector<unsigned> blink::evenParts(const PackingProblem &problem,
                                       const Packing &packing) {
  // With trees of every root there are many in any case, so more are allowed.
  const double mostParts =
      numBlocks(problem.collective, problem.rankTopology->numRanks()) > 1 ? 80
                                                                          : 64;
  constexpr double kRounding = 1e-6;
  std::vector<unsigned> parts(packing.trees.size(), 1);
  if (isRouted(problem.collective) && isRooted(problem.collective) &&
      problem.rankTopology->numRanks() <= kFewRanks)
    return evenRoutes(problem, packing);
  if (isFair(problem, packing, parts))
    return parts;
  double sum = 0, least = kInfinity;
  for (const Tree &tree : packing.trees) {
    sum += tree.weight;
    least = std::min(least, tree.weight);
  }
  if (packing.symmetry)
    sum *= packing.symmetry->order();
  for (unsigned divisions = 1; divisions <= kMostDivisions; ++divisions) {
    const double unit = least / divisions;
    if (!(sum / unit <= mostParts * (1 + kRounding)))
      break;
    bool even = true;
    for (size_t t = 0; t < parts.size() && even; ++t) {
      const double units = packing.trees[t].weight / unit;
      parts[t] = unsigned(std::lround(units));
      even = std::abs(units - parts[t]) <= kRounding * units;
    }
    if (even)
      return parts;
  }
  std::fill(parts.begin(), parts.end(), 1);
  return parts;
}

bool blink::isFair(const PackingProblem &problem, const Packing &packing) {
  return isFair(problem, packing, evenParts(problem, packing));
}
