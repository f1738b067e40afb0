//===- Symmetry.cpp - renamings that leave a machine as it is -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/symmetry/Symmetry.h"

#include "compiler/support/Error.h"
#include "compiler/support/Numbers.h"
#include "compiler/topology/symmetry/GeneratorSearch.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <set>

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

Symmetry Symmetry::trivial(const RankTopology &rankTopology) {
  Symmetry symmetry;
  const Topology &topology = rankTopology.topology();
  symmetry.nodeMaps_ = {firstNumbers(topology.nodes.size())};
  symmetry.index(rankTopology);
  return symmetry;
}

Symmetry Symmetry::find(const RankTopology &rankTopology) {
  Symmetry symmetry = trivial(rankTopology);
  Automorphisms all(rankTopology);
  TwinColoring coloring = all.coloring();
  int first = rankTopology.nodeOf(0), failures = 0;
  std::set<int> orbit{first};
  for (int target : all.rankNodes()) {
    if (orbit.count(target) || failures > kMostFailures)
      continue;
    std::vector<int> possible = coloring.candidates(first);
    if (std::find(possible.begin(), possible.end(), target) == possible.end())
      continue;
    int steps = 0;
    Map generator =
        GeneratorSearch(all, symmetry.nodeMaps_).find(coloring, target, steps);
    if (generator.empty()) {
      ++failures;
      continue;
    }
    Map links = all.linkMap(generator);
    symmetry.extend({std::move(generator), steps}, links);
    for (const Map &map : symmetry.nodeMaps_)
      orbit.insert(map[first]);
  }
  symmetry.index(rankTopology);
  return symmetry;
}

void Symmetry::extend(Generator generator, const Map &links) {
  const size_t order = nodeMaps_.size();
  for (size_t element = order; element < order * generator.steps; ++element)
    nodeMaps_.push_back(compose(generator.nodes, nodeMaps_[element - order]));
  LinkPowers &ofLinks = linkPowers_.emplace_back();
  ofLinks.stride = static_cast<int>(order);
  ofLinks.powers = {firstNumbers(links.size())};
  for (int power = 1; power < generator.steps; ++power)
    ofLinks.powers.push_back(compose(links, ofLinks.powers.back()));
  generators_.push_back(std::move(generator));
}

llvm::Expected<Symmetry> Symmetry::create(const RankTopology &rankTopology,
                                          std::vector<Generator> generators) {
  Symmetry symmetry = trivial(rankTopology);
  const Automorphisms all(rankTopology);
  const auto numRanks = size_t(rankTopology.numRanks());
  for (Generator &generator : generators) {
    const size_t order = symmetry.nodeMaps_.size();
    const bool fits = generator.nodes.size() == size_t(all.numNodes()) &&
                      generator.steps > 1 &&
                      size_t(generator.steps) <= numRanks / order;
    if (!fits || !isPermutation(generator.nodes))
      return makeError("a renaming of {0} nodes in {1} steps: expected one of "
                       "{2} nodes, each once, and no more elements than ranks",
                       generator.nodes.size(), generator.steps, all.numNodes());
    const Map links = all.linkMap(generator.nodes);
    if (links.empty())
      return makeError("a renaming changes the machine or its ranks");
    const Map own = generator.nodes;
    for (const Map &map : symmetry.nodeMaps_)
      if (compose(own, map) != compose(map, own))
        return makeError("renamings give another result in another order");
    symmetry.extend(std::move(generator), links);
    // The power after the last one is an element again.
    const Map closes = compose(own, symmetry.nodeMaps_.back());
    if (!llvm::is_contained(symmetry.nodeMaps_, closes))
      return makeError("a renaming's powers do not come back");
  }
  for (size_t element = 1; element < symmetry.nodeMaps_.size(); ++element)
    for (int node : all.rankNodes())
      if (symmetry.nodeMaps_[element][node] == node)
        return makeError("a renaming leaves a rank where it is");
  symmetry.index(rankTopology);
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

/// Fills everything but the maps of nodes and links.
void Symmetry::index(const RankTopology &rankTopology) {
  int n = rankTopology.numRanks();
  std::vector<int> rankOf(rankTopology.topology().nodes.size(), -1);
  for (int rank = 0; rank < n; ++rank)
    rankOf[rankTopology.nodeOf(rank)] = rank;
  representative_.assign(n, -1);
  elementTo_.assign(n, 0);
  representatives_.clear();
  rankMaps_.clear();
  for (const Map &nodes : nodeMaps_) {
    Map ranks(n);
    for (int rank = 0; rank < n; ++rank)
      ranks[rank] = rankOf[nodes[rankTopology.nodeOf(rank)]];
    rankMaps_.push_back(std::move(ranks));
  }
  for (int rank = 0; rank < n; ++rank) {
    if (representative_[rank] >= 0)
      continue;
    representatives_.push_back(rank);
    for (int element = 0; element < order(); ++element) {
      representative_[mapRank(element, rank)] = rank;
      elementTo_[mapRank(element, rank)] = element;
    }
  }
  inverses_.assign(order(), 0);
  for (int element = 0; element < order(); ++element)
    for (int rank = 0; rank < n; ++rank)
      if (mapRank(element, rank) == 0)
        inverses_[element] = elementTo_[rank];
  linkClasses_.assign(rankTopology.topology().links.size(), -1);
  numLinkClasses_ = 0;
  for (size_t link = 0; link < linkClasses_.size(); ++link) {
    if (linkClasses_[link] >= 0)
      continue;
    for (int element = 0; element < order(); ++element)
      linkClasses_[mapLink(element, static_cast<int>(link))] = numLinkClasses_;
    ++numLinkClasses_;
  }
}
