//===- Symmetry.cpp - automorphisms of a machine --------------------------===//
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

/// The number of failed images of rank 0 that the search for generators
/// tolerates.
constexpr int kMostFailures = 24;

/// If more orbits of ranks than this are left, a second order of generators is
/// tried, which takes longer: a generator of few steps may rule out one of
/// many.
constexpr size_t kManyOrbits = 32;
/// The images of rank 0 that this second search tries for each generator.
constexpr int kMostTried = 512;

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

namespace {

/// Collects the generators of a group, one after the other.
class GroupSearch {
public:
  GroupSearch(const RankTopology &rankTopology, const Automorphisms &all)
      : all_(all), coloring_(all.coloring()), first_(rankTopology.nodeOf(0)),
        nodes_(size_t(all.numNodes())), inOrbit_(size_t(all.numNodes())),
        isPossible_(size_t(all.numNodes())) {
    for (int node : coloring_.candidates(first_))
      isPossible_[node] = true;
    inOrbit_[first_] = true;
  }

  /// Adds generators in the order of the ranks that they take rank 0 to.
  std::vector<Symmetry::Generator> nearestFirst() {
    int failures = 0;
    for (int target : all_.rankNodes())
      if (failures <= kMostFailures && isWanted(target) && !add(find(target)))
        ++failures;
    return std::move(generators_);
  }

  /// Adds, each time, the generator with the most steps.
  std::vector<Symmetry::Generator> longestFirst() {
    Symmetry::Generator longest;
    do {
      longest = {{}, 0};
      int tried = 0;
      for (int target : all_.rankNodes())
        if (isWanted(target) && ++tried <= kMostTried)
          if (Symmetry::Generator found = find(target);
              found.steps > longest.steps)
            longest = std::move(found);
    } while (add(std::move(longest)));
    return std::move(generators_);
  }

private:
  bool isWanted(int target) const {
    return isPossible_[target] && !inOrbit_[target];
  }
  /// Finds a generator that takes rank 0 to `target`; 0 steps if there is none.
  Symmetry::Generator find(int target) const {
    Symmetry::Generator generator{{}, 0};
    generator.nodes = GeneratorSearch(all_, nodes_, generators_)
                          .find(coloring_, target, generator.steps);
    return generator;
  }
  bool add(Symmetry::Generator generator) {
    if (generator.nodes.empty())
      return false;
    nodes_.extend(generator.nodes, generator.steps);
    generators_.push_back(std::move(generator));
    for (int element = 0; element < nodes_.order(); ++element)
      inOrbit_[nodes_.map(element, first_)] = true;
    return true;
  }

  const Automorphisms &all_;
  const TwinColoring coloring_;
  const int first_;
  GroupMaps nodes_;
  std::vector<Symmetry::Generator> generators_;
  std::vector<bool> inOrbit_; // orbit of the first rank's node
  std::vector<bool> isPossible_;
};

} // namespace

Symmetry Symmetry::find(const RankTopology &rankTopology) {
  const Automorphisms all(rankTopology);
  const auto make = [&](std::vector<Generator> generators) {
    Symmetry symmetry(rankTopology);
    for (Generator &generator : generators) {
      const IndexMap links = all.linkMap(generator.nodes);
      symmetry.extend(rankTopology, std::move(generator), links);
    }
    symmetry.index();
    return symmetry;
  };
  Symmetry nearest = make(GroupSearch(rankTopology, all).nearestFirst());
  if (nearest.representatives().size() <= kManyOrbits)
    return nearest;
  Symmetry longest = make(GroupSearch(rankTopology, all).longestFirst());
  return longest.order() > nearest.order() ? longest : nearest;
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
    // The power after the last one must be an element again. As the action is
    // free, it is the element that takes the first rank to the same place.
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
  // Every link of a class is taken to every other by the same number of
  // elements.
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

/// Fills all members but the generators and their maps.
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
        return false; // two elements take a rank there
      representative_[image] = rank;
      elementTo_[image] = element;
    }
  }
  // An element followed by its inverse takes rank 0 back to itself.
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
