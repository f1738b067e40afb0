//===- GeneratorSearch.cpp - search for one group generator ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/symmetry/GeneratorSearch.h"

#include <algorithm>
#include <cstdlib>

using namespace blink;

/// The most candidates tried for one rank, and the most dead ends for one
/// generator.
constexpr size_t kMostCandidates = 6;
constexpr int kMostDeadEnds = 60;

Automorphisms::Automorphisms(const RankTopology &rankTopology)
    : topology_(rankTopology.topology()),
      isRank_(topology_.nodes.size(), false), machine_(rankTopology),
      linkAt_(topology_.linkIndices()) {
  for (int rank = 0; rank < rankTopology.numRanks(); ++rank) {
    rankNodes_.push_back(rankTopology.nodeOf(rank));
    isRank_[rankTopology.nodeOf(rank)] = true;
  }
}

IndexMap Automorphisms::linkMap(const IndexMap &nodes) const {
  for (int node = 0; node < numNodes(); ++node)
    if (machine_.colors[node] != machine_.colors[nodes[node]])
      return {};
  IndexMap links;
  for (const Link &link : topology_.links) {
    auto image = linkAt_.find({nodes[link.from], nodes[link.to], link.kind});
    if (image == linkAt_.end())
      return {};
    const Link &other = topology_.links[image->second];
    if (other.bandwidth != link.bandwidth || other.latency != link.latency)
      return {};
    links.push_back(image->second);
  }
  return links;
}

bool GeneratorSearch::requireAll(TwinColoring &coloring, int from,
                                 int to) const {
  std::vector<std::pair<int, int>> images;
  for (int element = 0; element < group_.order(); ++element)
    images.emplace_back(group_.map(element, from), group_.map(element, to));
  return coloring.require(images);
}

std::vector<int>
GeneratorSearch::candidates(const TwinColoring &coloring, const Cycle &cycle,
                            const std::vector<bool> &taken) const {
  bool mayClose =
      cycle.steps > 0 && period_ == 0 && numOrbits_ % (cycle.steps + 1) == 0;
  bool mustClose = period_ > 0 && cycle.steps + 1 == period_;
  std::vector<int> nodes;
  for (int node : coloring.candidates(cycle.at)) {
    bool closes = orbitOf_[node] == orbitOf_[cycle.first];
    if (mustClose ? node == group_.map(holonomy_, cycle.first)
                  : (closes ? mayClose : !taken[orbitOf_[node]]))
      nodes.push_back(node);
  }
  const size_t most = std::min(nodes.size(), kMostCandidates);
  std::partial_sort(nodes.begin(), nodes.begin() + long(most), nodes.end(),
                    [far = cycle.at + shift_](int a, int b) {
                      return std::make_tuple(std::abs(a - far), a) <
                             std::make_tuple(std::abs(b - far), b);
                    });
  nodes.resize(most);
  return nodes;
}

TwinColoring GeneratorSearch::remade() const {
  TwinColoring coloring = *start_;
  for (auto [from, to] : fixed_)
    requireAll(coloring, from, to);
  return coloring;
}

/// Starts a cycle at the first orbit that is no image yet. If all orbits are
/// images, the cycle's `at` is -1.
GeneratorSearch::Cycle
GeneratorSearch::startCycle(const std::vector<bool> &taken) const {
  for (int node : all_.rankNodes())
    if (!taken[orbitOf_[node]] && elementOf_[node] == 0)
      return {node, node, 0};
  return {};
}

/// Searches depth first and without recursion, since the depth is the number of
/// ranks.
bool GeneratorSearch::search(TwinColoring &coloring, int first, int target) {
  std::vector<bool> taken(numOrbits_, false);
  std::vector<Choice> open{{{first, first, 0}, {target}}};
  while (!open.empty()) {
    Choice &choice = open.back();
    if (choice.tried > 0) { // the last image led to a dead end
      fixed_.pop_back();
      if (choice.orbit >= 0)
        taken[choice.orbit] = false;
      if (choice.setsPeriod)
        period_ = 0;
      choice.orbit = -1;
      choice.setsPeriod = false;
    }
    if (choice.tried == choice.images.size() || deadEnds_ > kMostDeadEnds) {
      ++deadEnds_;
      open.pop_back();
      continue;
    }
    if (choice.tried > 0)
      coloring = remade();
    const int image = choice.images[choice.tried++];
    fixed_.emplace_back(choice.cycle.at, image);
    if (!requireAll(coloring, choice.cycle.at, image)) {
      ++deadEnds_;
      continue;
    }
    choice.orbit = orbitOf_[image];
    taken[choice.orbit] = true;
    Cycle cycle = choice.cycle;
    ++cycle.steps;
    if (orbitOf_[image] != orbitOf_[cycle.first]) {
      cycle.at = image;
    } else {
      if (period_ == 0) {
        choice.setsPeriod = true;
        period_ = cycle.steps;
        holonomy_ = elementOf_[image]; // cycle.first is its orbit's first node
      }
      cycle = startCycle(taken);
    }
    if (cycle.at >= 0)
      open.push_back({cycle, candidates(coloring, cycle, taken)});
    else if (finish(coloring))
      return true;
  }
  return false;
}

/// Completes and checks the map after all ranks have their images. Each relay
/// that could still be swapped gets the first image left.
bool GeneratorSearch::finish(TwinColoring &coloring) {
  IndexMap map(all_.numNodes());
  for (int node = 0; node < all_.numNodes(); ++node) {
    if (!coloring.isFixed(node)) {
      std::vector<int> images = coloring.candidates(node);
      int least = *std::min_element(images.begin(), images.end());
      if (!coloring.require({{node, least}}))
        return false;
    }
    map[node] = coloring.image(node);
  }
  if (all_.linkMap(map).empty())
    return false;
  // A map that commutes with the generators commutes with the whole group.
  for (const Symmetry::Generator &generator : generators_)
    if (compose(map, generator.nodes) != compose(generator.nodes, map))
      return false;
  IndexMap power = map;
  for (int step = 1; step < period_; ++step)
    power = compose(map, power);
  if (power != group_.asMap(holonomy_))
    return false;
  found_ = std::move(map);
  return true;
}

IndexMap GeneratorSearch::find(const TwinColoring &start, int target,
                               int &steps) {
  int first = all_.rankNodes().front();
  shift_ = target - first;
  start_ = &start;
  TwinColoring coloring = start;
  if (search(coloring, first, target))
    steps = period_;
  return std::move(found_);
}
