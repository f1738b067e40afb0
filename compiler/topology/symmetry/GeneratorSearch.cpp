//===- GeneratorSearch.cpp - one more renaming of a group -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/symmetry/GeneratorSearch.h"

#include <algorithm>
#include <cstdlib>

using namespace blink;

/// Candidates tried for one rank, and dead ends met for one generator.
constexpr size_t kMostCandidates = 6;
constexpr int kMostDeadEnds = 60;

IndexMap blink::compose(const IndexMap &second, const IndexMap &first) {
  IndexMap map(first.size());
  for (size_t at = 0; at < first.size(); ++at)
    map[at] = second[first[at]];
  return map;
}

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
  for (const IndexMap &element : group_)
    images.emplace_back(element[from], element[to]);
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
    if (mustClose ? node == group_[holonomy_][cycle.first]
                  : (closes ? mayClose : !taken[orbitOf_[node]]))
      nodes.push_back(node);
  }
  std::sort(nodes.begin(), nodes.end(), [&](int a, int b) {
    int far = cycle.at + shift_;
    return std::make_tuple(std::abs(a - far), a) <
           std::make_tuple(std::abs(b - far), b);
  });
  if (nodes.size() > kMostCandidates)
    nodes.resize(kMostCandidates);
  return nodes;
}

TwinColoring GeneratorSearch::remade() const {
  TwinColoring coloring = *start_;
  for (auto [from, to] : fixed_)
    requireAll(coloring, from, to);
  return coloring;
}

bool GeneratorSearch::extend(TwinColoring &coloring, Cycle cycle,
                             std::vector<bool> taken) {
  if (cycle.at < 0) {
    for (int node : all_.rankNodes())
      if (!taken[orbitOf_[node]] && elementOf_[node] == 0) {
        cycle = {node, node, 0};
        break;
      }
    if (cycle.at < 0)
      return finish(coloring);
  }
  bool isIntact = true;
  for (int image : candidates(coloring, cycle, taken)) {
    if (!isIntact)
      coloring = remade();
    fixed_.emplace_back(cycle.at, image);
    if (fix(coloring, cycle, taken, image))
      return true;
    fixed_.pop_back();
    isIntact = false;
    if (deadEnds_ > kMostDeadEnds)
      return false;
  }
  ++deadEnds_;
  return false;
}

bool GeneratorSearch::fix(TwinColoring &coloring, Cycle cycle,
                          std::vector<bool> taken, int image) {
  if (!requireAll(coloring, cycle.at, image)) {
    ++deadEnds_;
    return false;
  }
  taken[orbitOf_[image]] = true;
  ++cycle.steps;
  if (orbitOf_[image] != orbitOf_[cycle.first]) {
    cycle.at = image;
    return extend(coloring, cycle, std::move(taken));
  }
  bool first = period_ == 0;
  if (first) {
    period_ = cycle.steps;
    holonomy_ = elementOf_[image]; // cycle.first is its orbit's first node
  }
  if (extend(coloring, Cycle(), std::move(taken)))
    return true;
  if (first)
    period_ = 0;
  return false;
}

/// All ranks have their images. Relays that could still be swapped are taken in
/// order.
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
  for (const IndexMap &element : group_)
    if (compose(map, element) != compose(element, map))
      return false;
  IndexMap power = map;
  for (int step = 1; step < period_; ++step)
    power = compose(map, power);
  if (power != group_[holonomy_])
    return false;
  found_ = std::move(map);
  return true;
}

IndexMap GeneratorSearch::find(const TwinColoring &start, int target,
                               int &steps) {
  int first = all_.rankNodes().front();
  shift_ = target - first;
  std::vector<bool> taken(numOrbits_, false);
  start_ = &start;
  fixed_ = {{first, target}};
  TwinColoring coloring = start;
  if (fix(coloring, {first, first, 0}, taken, target))
    steps = period_;
  return std::move(found_);
}
