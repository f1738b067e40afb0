//===- Symmetry.cpp - renamings that leave a machine as it is -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/symmetry/Symmetry.h"

#include "compiler/support/Error.h"
#include "compiler/support/Numbers.h"
#include "compiler/topology/symmetry/GeneratorSearch.h"

#include <algorithm>

using namespace blink;

/// Ranks tried as the image of rank 0 that turned out not to work.
constexpr int kMostFailures = 24;

static bool isPermutation(const std::vector<int> &map) {
  std::vector<bool> taken(map.size(), false);
  for (int image : map) {
    if (image < 0 || size_t(image) >= map.size() || taken[image])
      return false;
    taken[image] = true;
  }
  return true;
}

Path Symmetry::mapPath(int element, const Path &path) const {
  Path image;
  image.reserve(path.size());
  for (int link : path)
    image.push_back(mapLink(element, link));
  return image;
}

Symmetry::Symmetry(const RankTopology &rankTopology)
    : rankOf_(rankTopology.topology().nodes.size(), -1),
      ranks_(size_t(rankTopology.numRanks())),
      links_(rankTopology.topology().links.size()),
      representative_(size_t(rankTopology.numRanks())),
      linkClasses_(rankTopology.topology().links.size()) {
  for (int rank = 0; rank < rankTopology.numRanks(); ++rank)
    rankOf_[rankTopology.nodeOf(rank)] = rank;
}

Symmetry Symmetry::trivial(const RankTopology &rankTopology) {
  Symmetry symmetry(rankTopology);
  symmetry.index();
  return symmetry;
}

Symmetry Symmetry::find(const RankTopology &rankTopology) {
  Symmetry symmetry(rankTopology);
  Automorphisms all(rankTopology);
  GroupMaps nodes(size_t(all.numNodes()));
  const TwinColoring coloring = all.coloring();
  int first = rankTopology.nodeOf(0), failures = 0;
  std::vector<bool> isPossible(size_t(all.numNodes())),
      inOrbit(size_t(all.numNodes()));
  for (int node : coloring.candidates(first))
    isPossible[node] = true;
  inOrbit[first] = true;
  for (int target : all.rankNodes()) {
    if (inOrbit[target] || failures > kMostFailures || !isPossible[target])
      continue;
    int steps = 0;
    IndexMap generator = GeneratorSearch(all, nodes, symmetry.generators_)
                             .find(coloring, target, steps);
    if (generator.empty()) {
      ++failures;
      continue;
    }
    const IndexMap links = all.linkMap(generator);
    nodes.extend(generator, steps);
    symmetry.extend(rankTopology, {std::move(generator), steps}, links);
    for (int element = 0; element < nodes.order(); ++element)
      inOrbit[nodes.map(element, first)] = true;
  }
  symmetry.index();
  return symmetry;
}

void Symmetry::extend(const RankTopology &rankTopology, Generator generator,
                      const IndexMap &links) {
  IndexMap ranks;
  for (int rank = 0; rank < rankTopology.numRanks(); ++rank)
    ranks.push_back(rankOf_[generator.nodes[rankTopology.nodeOf(rank)]]);
  ranks_.extend(ranks, generator.steps);
  links_.extend(links, generator.steps);
  rankGenerators_.push_back(std::move(ranks));
  generators_.push_back(std::move(generator));
}

llvm::Expected<Symmetry> Symmetry::create(const RankTopology &rankTopology,
                                          std::vector<Generator> generators) {
  Symmetry symmetry(rankTopology);
  const Automorphisms all(rankTopology);
  const auto numRanks = size_t(rankTopology.numRanks());
  const int first = rankTopology.nodeOf(0);
  GroupMaps nodes(size_t(all.numNodes()));
  for (Generator &generator : generators) {
    const auto order = size_t(nodes.order());
    const bool fits = generator.nodes.size() == size_t(all.numNodes()) &&
                      generator.steps > 1 &&
                      size_t(generator.steps) <= numRanks / order;
    if (!fits || !isPermutation(generator.nodes))
      return makeError("a renaming of {0} nodes in {1} steps: expected one of "
                       "{2} nodes, each once, and no more elements than ranks",
                       generator.nodes.size(), generator.steps, all.numNodes());
    const IndexMap links = all.linkMap(generator.nodes);
    if (links.empty())
      return makeError("a renaming changes the machine or its ranks");
    const IndexMap own = generator.nodes;
    for (const Generator &other : symmetry.generators_)
      if (compose(own, other.nodes) != compose(other.nodes, own))
        return makeError("renamings give another result in another order");
    nodes.extend(own, generator.steps);
    symmetry.extend(rankTopology, std::move(generator), links);
    // The power after the last one is an element again: as the action is free,
    // the one that takes the first rank there.
    const IndexMap closes = compose(own, nodes.asMap(nodes.order() - 1));
    int element = 0;
    while (element < nodes.order() &&
           nodes.map(element, first) != closes[first])
      ++element;
    if (element == nodes.order() || nodes.asMap(element) != closes)
      return makeError("a renaming's powers do not come back");
  }
  if (!symmetry.index())
    return makeError("a renaming leaves a rank where it is");
  return symmetry;
}

std::vector<double>
Symmetry::sumOfImages(const std::vector<double> &loads) const {
  // As many elements take each link of a class to each other one.
  std::vector<double> sums(numLinkClasses_, 0);
  std::vector<int> sizes(numLinkClasses_, 0);
  for (size_t link = 0; link < loads.size(); ++link) {
    sums[linkClasses_[link]] += loads[link];
    ++sizes[linkClasses_[link]];
  }
  std::vector<double> images;
  for (int linkClass : linkClasses_)
    images.push_back(sums[linkClass] * (order() / sizes[linkClass]));
  return images;
}

std::vector<double>
Symmetry::mostOfImages(const std::vector<double> &loads) const {
  std::vector<double> most(numLinkClasses_, 0);
  for (size_t link = 0; link < loads.size(); ++link)
    most[linkClasses_[link]] = std::max(most[linkClasses_[link]], loads[link]);
  std::vector<double> images;
  for (int linkClass : linkClasses_)
    images.push_back(most[linkClass]);
  return images;
}

/// Fills everything but the generators and their maps.
bool Symmetry::index() {
  const auto n = static_cast<int>(representative_.size());
  representative_.assign(n, -1);
  elementTo_.assign(n, 0);
  representatives_.clear();
  for (int rank = 0; rank < n; ++rank) {
    if (representative_[rank] >= 0)
      continue;
    representatives_.push_back(rank);
    for (int element = 0; element < order(); ++element) {
      const int image = mapRank(element, rank);
      if (representative_[image] >= 0)
        return false; // two elements bring a rank there
      representative_[image] = rank;
      elementTo_[image] = element;
    }
  }
  // An element and its inverse take rank 0 back to itself.
  GroupMaps back(static_cast<size_t>(n));
  for (size_t i = 0; i < generators_.size(); ++i) {
    IndexMap inverse(n);
    for (int rank = 0; rank < n; ++rank)
      inverse[rankGenerators_[i][rank]] = rank;
    back.extend(inverse, generators_[i].steps);
  }
  inverses_.clear();
  for (int element = 0; element < order(); ++element)
    inverses_.push_back(elementTo_[back.map(element, 0)]);
  linkClasses_.assign(linkClasses_.size(), -1);
  numLinkClasses_ = 0;
  for (size_t link = 0; link < linkClasses_.size(); ++link) {
    if (linkClasses_[link] >= 0)
      continue;
    for (int element = 0; element < order(); ++element)
      linkClasses_[mapLink(element, static_cast<int>(link))] = numLinkClasses_;
    ++numLinkClasses_;
  }
  return true;
}
