//===- Symmetry.cpp - renamings that leave a machine as it is -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The group grows by one generator at a time. A generator g shall send rank 0
// to a given rank outside its orbit and commute with the group H so far. So g
// is known on an orbit of H as soon as it is known at one rank of it, and seen
// on orbits it runs in cycles; all cycles must close after the same number of
// steps m with the same element h of H, g^m = h, or a power of g would leave
// some ranks in place and move others. The search follows these cycles.
//
// Among candidates those come first that move a rank as far, in numbers, as
// rank 0: in files written row by row and box by box such maps are shifts of
// rows and boxes, and shifts commute.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/symmetry/Symmetry.h"

#include "compiler/support/Numbers.h"
#include "compiler/topology/symmetry/MachineColoring.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

using namespace blink;

namespace {

using Map = std::vector<int>;

/// Candidates tried for one rank, and dead ends met for one generator.
constexpr size_t kMostCandidates = 6;
constexpr int kMostDeadEnds = 60;
/// Ranks tried as the image of rank 0 that turned out not to work.
constexpr int kMostFailures = 24;

Map compose(const Map &second, const Map &first) {
  Map map(first.size());
  for (size_t at = 0; at < first.size(); ++at)
    map[at] = second[first[at]];
  return map;
}

/// The graph of all links, and its automorphisms that keep the ranks.
class Automorphisms {
public:
  explicit Automorphisms(const RankTopology &rankTopology);

  TwinColoring coloring() const { return {machine_.graph, machine_.colors}; }
  int numNodes() const { return static_cast<int>(machine_.colors.size()); }
  const std::vector<int> &rankNodes() const { return rankNodes_; }
  bool isRank(int node) const { return isRank_[node]; }

  /// Where links go when nodes go where `nodes` says; empty unless that is an
  /// automorphism.
  Map linkMap(const Map &nodes) const;

private:
  const Topology &topology_;
  std::vector<int> rankNodes_;
  std::vector<bool> isRank_;
  const MachineColoring machine_;
  const std::map<std::tuple<int, int, LinkKind>, int> linkAt_;
};

Automorphisms::Automorphisms(const RankTopology &rankTopology)
    : topology_(rankTopology.topology()),
      isRank_(topology_.nodes.size(), false), machine_(rankTopology),
      linkAt_(topology_.linkIndices()) {
  for (int rank = 0; rank < rankTopology.numRanks(); ++rank) {
    rankNodes_.push_back(rankTopology.nodeOf(rank));
    isRank_[rankTopology.nodeOf(rank)] = true;
  }
}

Map Automorphisms::linkMap(const Map &nodes) const {
  for (int node = 0; node < numNodes(); ++node)
    if (machine_.colors[node] != machine_.colors[nodes[node]])
      return {};
  Map links;
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

/// The search for one generator.
class GeneratorSearch {
public:
  GeneratorSearch(const Automorphisms &all, const std::vector<Map> &group)
      : all_(all), group_(group), orbitOf_(all.numNodes(), -1),
        elementOf_(all.numNodes(), -1) {
    for (int node : all.rankNodes()) {
      if (orbitOf_[node] >= 0)
        continue;
      for (size_t element = 0; element < group.size(); ++element) {
        orbitOf_[group[element][node]] = numOrbits_;
        elementOf_[group[element][node]] = static_cast<int>(element);
      }
      ++numOrbits_;
    }
  }

  /// A node map that sends rank 0 to `target` and extends the group, see the
  /// top of the file; empty if none was found. The order of the group grows by
  /// the factor `steps`.
  Map find(const TwinColoring &start, int target, int &steps);

private:
  /// Where a cycle stands: its first node, the node whose image is wanted next,
  /// and how many images were fixed so far.
  struct Cycle {
    int first = -1, at = -1, steps = 0;
  };
  bool extend(TwinColoring coloring, Cycle cycle, std::vector<bool> taken);
  bool fix(TwinColoring coloring, Cycle cycle, std::vector<bool> taken,
           int image);
  bool finish(TwinColoring coloring);
  std::vector<int> candidates(const TwinColoring &coloring, const Cycle &cycle,
                              const std::vector<bool> &taken) const;
  bool requireAll(TwinColoring &coloring, int from, int to) const;

  const Automorphisms &all_;
  const std::vector<Map> &group_;
  std::vector<int> orbitOf_;   // per node: of H; -1 for no rank
  std::vector<int> elementOf_; // per node: takes the orbit's first node here
  int numOrbits_ = 0;

  int shift_ = 0;
  int period_ = 0;   // steps of a cycle; 0 until the first one closes
  int holonomy_ = 0; // the element of H that it closes with
  int deadEnds_ = 0;
  Map found_;
};

bool GeneratorSearch::requireAll(TwinColoring &coloring, int from,
                                 int to) const {
  std::vector<std::pair<int, int>> images;
  for (const Map &element : group_)
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

bool GeneratorSearch::extend(TwinColoring coloring, Cycle cycle,
                             std::vector<bool> taken) {
  if (cycle.at < 0) {
    for (int node : all_.rankNodes())
      if (!taken[orbitOf_[node]] && elementOf_[node] == 0) {
        cycle = {node, node, 0};
        break;
      }
    if (cycle.at < 0)
      return finish(std::move(coloring));
  }
  for (int image : candidates(coloring, cycle, taken)) {
    if (fix(coloring, cycle, taken, image))
      return true;
    if (deadEnds_ > kMostDeadEnds)
      return false;
  }
  ++deadEnds_;
  return false;
}

bool GeneratorSearch::fix(TwinColoring coloring, Cycle cycle,
                          std::vector<bool> taken, int image) {
  if (!requireAll(coloring, cycle.at, image)) {
    ++deadEnds_;
    return false;
  }
  taken[orbitOf_[image]] = true;
  ++cycle.steps;
  if (orbitOf_[image] != orbitOf_[cycle.first]) {
    cycle.at = image;
    return extend(std::move(coloring), cycle, std::move(taken));
  }
  bool first = period_ == 0;
  if (first) {
    period_ = cycle.steps;
    holonomy_ = elementOf_[image]; // cycle.first is its orbit's first node
  }
  if (extend(std::move(coloring), Cycle(), std::move(taken)))
    return true;
  if (first)
    period_ = 0;
  return false;
}

/// All ranks have their images. Relays that could still be swapped are taken in
/// order.
bool GeneratorSearch::finish(TwinColoring coloring) {
  Map map(all_.numNodes());
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
  for (const Map &element : group_)
    if (compose(map, element) != compose(element, map))
      return false;
  Map power = map;
  for (int step = 1; step < period_; ++step)
    power = compose(map, power);
  if (power != group_[holonomy_])
    return false;
  found_ = std::move(map);
  return true;
}

Map GeneratorSearch::find(const TwinColoring &start, int target, int &steps) {
  int first = all_.rankNodes().front();
  shift_ = target - first;
  std::vector<bool> taken(numOrbits_, false);
  if (fix(start, {first, first, 0}, taken, target))
    steps = period_;
  return std::move(found_);
}

} // namespace

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
  symmetry.linkMaps_ = {firstNumbers(topology.links.size())};
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
    size_t order = symmetry.nodeMaps_.size();
    for (size_t element = order; element < order * steps; ++element) {
      symmetry.nodeMaps_.push_back(
          compose(generator, symmetry.nodeMaps_[element - order]));
      symmetry.linkMaps_.push_back(
          compose(links, symmetry.linkMaps_[element - order]));
    }
    symmetry.generators_.push_back({std::move(generator), steps});
    for (const Map &map : symmetry.nodeMaps_)
      orbit.insert(map[first]);
  }
  symmetry.index(rankTopology);
  return symmetry;
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
    for (const Map &links : linkMaps_)
      linkClasses_[links[link]] = numLinkClasses_;
    ++numLinkClasses_;
  }
}
