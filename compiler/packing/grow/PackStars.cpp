//===- PackStars.cpp - one path for each pair of ranks --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/PackStars.h"

#include "compiler/packing/lp/ColumnGeneration.h"
#include "compiler/packing/lp/FitWeights.h"
#include "compiler/support/Infinity.h"

#include <algorithm>

using namespace blink;

namespace {

/// Searches for paths in each run; if there are more pairs of ranks, some share
/// a search. Eight times as many find nothing better on machines of 128 to
/// 1,024 GPUs.
constexpr size_t kMostSearches = size_t(1) << 12;
constexpr double kEqual = 1 - 1e-9; ///< but for rounding

/// Where links are.
enum class Place { fromRanks, toRanks, anywhere };

/// Routes the blocks between roots and ranks, one after the other.
class Routing {
public:
  explicit Routing(const SymmetricProblem &problem)
      : problem_(problem), machine_(*problem.problem().rankTopology),
        gathers_(hasUpTrees(problem.problem().collective)),
        detours_(size_t(problem.numRows()), 0.0),
        wanted_(size_t(machine_.numRanks()), false) {}

  /// Returns a tree for each root; none if some rank has no path.
  std::vector<Tree> run();
  /// Makes the fullest links one link longer for the next run. Returns false if
  /// some of these are at ranks, so that other paths would hardly help.
  bool avoidFullest();
  /// Returns how full the fullest link at `place` is.
  double most(Place place = Place::anywhere) const;
  /// Returns false if some path at least is not the cheapest. Looks only at
  /// some trees, and of these at paths from the rank where the first one
  /// begins.
  bool mayBeCheapest(const std::vector<Tree> &trees,
                     const std::vector<double> &prices) const;
  /// Returns a price of 1 for those links at `place` that are as full as the
  /// fullest of them.
  std::vector<double> fullest(Place place) const;

private:
  bool isAt(Place place, size_t link) const;
  bool routeFrom(int from, const std::vector<int> &others, size_t together,
                 Tree &tree);
  std::vector<double> prices() const;
  double fullnessOf(size_t row) const {
    return loads_[row] / problem_.capacity(int(row));
  }
  double fullness(int link) const {
    const int row = problem_.rowOf(link);
    return row < 0 ? 0 : fullnessOf(size_t(row));
  }

  const SymmetricProblem &problem_;
  const RankTopology &machine_;
  bool gathers_;                // up trees: from each rank to the root
  std::vector<double> loads_;   // per row, of a unit on each path
  std::vector<double> detours_; // per row: links by which it counts as longer
  std::vector<bool> wanted_;
};

/// Returns prices by which the shortest path is the cheapest, and among equally
/// short ones that over the least full links.
std::vector<double> Routing::prices() const {
  constexpr double kTie = 1e-3; // a path has far fewer than 1,000 links
  const double most = this->most();
  std::vector<double> ofRows(loads_.size());
  for (size_t row = 0; row < ofRows.size(); ++row)
    ofRows[row] =
        1 + detours_[row] + (most > 0 ? kTie * fullnessOf(row) / most : 0);
  const size_t numLinks = machine_.topology().links.size();
  std::vector<double> prices(numLinks, 1.0);
  for (size_t link = 0; link < numLinks; ++link)
    if (const int row = problem_.rowOf(int(link)); row >= 0)
      prices[link] = ofRows[size_t(row)];
  return prices;
}

bool Routing::avoidFullest() {
  constexpr double kFull = 0.9; // of the fullest
  const double most = this->most();
  if (std::max(this->most(Place::fromRanks), this->most(Place::toRanks)) >=
      most * kEqual)
    return false;
  for (size_t row = 0; row < loads_.size(); ++row)
    if (fullnessOf(row) >= most * kFull)
      detours_[row] += 1;
  return true;
}

bool Routing::mayBeCheapest(const std::vector<Tree> &trees,
                            const std::vector<double> &prices) const {
  constexpr size_t kMostTrees = 16;
  for (size_t i = 0; i < trees.size(); i += 1 + trees.size() / kMostTrees) {
    const std::vector<TreeEdge> &edges = gathers_ ? trees[i].up : trees[i].down;
    const int from = edges.front().from;
    const PathTable cheapest =
        machine_.cheapestPaths(prices, std::vector<int>{from});
    double used = 0, least = 0;
    for (const TreeEdge &edge : edges)
      if (edge.from == from) {
        for (int link : edge.path)
          used += prices[size_t(link)];
        least += cheapest.cost(from, edge.to);
      }
    if (used * kEqual > least)
      return false;
  }
  return true;
}

/// Adds paths from `from` to `others` to a tree, where `together` ranks share a
/// search. Returns false if there are none.
bool Routing::routeFrom(int from, const std::vector<int> &others,
                        size_t together, Tree &tree) {
  for (size_t begin = 0; begin < others.size(); begin += together) {
    const size_t end = std::min(others.size(), begin + together);
    for (size_t at = begin; at < end; ++at)
      wanted_[size_t(others[at])] = true;
    PathTable found = machine_.cheapestPaths(prices(), from, wanted_);
    for (size_t at = begin; at < end; ++at) {
      const int to = others[at];
      wanted_[size_t(to)] = false;
      Path &path = found.paths[found.place(from, to)];
      if (path.empty())
        return false;
      for (int link : path)
        loads_[size_t(problem_.rowOf(link))] += 1;
      (gathers_ ? tree.up : tree.down).push_back({from, to, std::move(path)});
    }
  }
  return true;
}

std::vector<Tree> Routing::run() {
  const int n = machine_.numRanks();
  loads_.assign(size_t(problem_.numRows()), 0.0);
  const size_t pairs = problem_.roots().size() * size_t(n);
  const size_t together = (pairs + kMostSearches - 1) / kMostSearches;
  std::vector<Tree> trees;
  for (int root : problem_.roots()) {
    Tree &tree = trees.emplace_back();
    tree.root = root;
    std::vector<int> others;
    for (int rank = 0; rank < n; ++rank)
      if (rank != root)
        others.push_back(rank);
    if (!gathers_) {
      if (!routeFrom(root, others, together, tree))
        return {};
      continue;
    }
    for (int rank : others)
      if (!routeFrom(rank, {root}, 1, tree))
        return {};
  }
  return trees;
}

bool Routing::isAt(Place place, size_t link) const {
  const Topology &topology = machine_.topology();
  const Link &ends = topology.links[link];
  const int node = place == Place::toRanks ? ends.to : ends.from;
  return place == Place::anywhere ||
         topology.nodes[size_t(node)].kind == NodeKind::gpu;
}

double Routing::most(Place place) const {
  double most = 0;
  if (place == Place::anywhere) { // far fewer rows than links
    for (size_t row = 0; row < loads_.size(); ++row)
      most = std::max(most, fullnessOf(row));
    return most;
  }
  for (size_t link = 0; link < machine_.topology().links.size(); ++link)
    if (isAt(place, link))
      most = std::max(most, fullness(int(link)));
  return most;
}

std::vector<double> Routing::fullest(Place place) const {
  const double most = this->most(place);
  std::vector<double> prices(machine_.topology().links.size(), 0.0);
  for (size_t link = 0; link < prices.size(); ++link)
    if (isAt(place, link) && fullness(int(link)) >= most * kEqual)
      prices[link] = 1;
  return prices;
}

/// Returns the packing of `trees`, over whose paths `routing` has routed, if
/// prices on the fullest links prove that it reaches the optimum, or all but
/// `slack` of it. If `isLikely` is not set, prices at which some path is not
/// the cheapest are not tried.
std::optional<PackedTrees> proved(const SymmetricProblem &problem,
                                  const Routing &routing,
                                  std::vector<Tree> trees, double slack,
                                  bool isLikely) {
  constexpr double kRounding = 1e-9;
  std::vector<std::vector<double>> tried;
  for (Place place : {Place::fromRanks, Place::toRanks, Place::anywhere}) {
    // Prices on less full links prove no bound that is as low.
    if (routing.most(place) < routing.most() * (1 - slack) * kEqual)
      continue;
    std::vector<double> prices = routing.fullest(place);
    if (isLikely || routing.mayBeCheapest(trees, prices))
      tried.push_back(std::move(prices));
  }
  if (tried.empty())
    return std::nullopt;
  PackedTrees packed;
  packed.candidates = std::move(trees);
  ColumnPool pool(problem);
  for (const Tree &tree : packed.candidates)
    pool.add(tree);
  packed.packing =
      fitColumns(pool, std::vector<double>(packed.candidates.size(), 1.0));
  const double enough = packed.packing.algbw / (1 - std::max(slack, kRounding));
  packed.certificate.bound = kInfinity;
  for (std::vector<double> &prices : tried) {
    PackingCertificate bound = boundAt(problem, std::move(prices));
    if (bound.bound < packed.certificate.bound)
      packed.certificate = std::move(bound);
    if (packed.certificate.bound <= packed.packing.algbw * (1 + kRounding))
      break;
  }
  if (!(packed.certificate.bound <= enough))
    return std::nullopt;
  if (llvm::Error error = problem.problem().verify(packed.packing)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  return packed;
}

} // namespace

std::optional<PackedTrees> blink::packStars(const SymmetricProblem &problem,
                                            double slack) {
  constexpr int kMostIdle = 4; // runs that gain less than a hundredth
  constexpr double kGain = 0.99;
  const PackingProblem &of = problem.problem();
  const RankTopology &machine = *of.rankTopology;
  if (!isRouted(of.collective) || isPairwise(of.collective) ||
      machine.numRanks() <= kFewRanks || machine.isPhased() ||
      !machine.relays().empty())
    return std::nullopt;
  Routing routing(problem);
  double least = kInfinity;
  for (int idle = 0; idle < kMostIdle; ++idle) {
    const bool isFirst = least == kInfinity;
    std::vector<Tree> trees = routing.run();
    if (trees.empty())
      return std::nullopt;
    if (std::optional<PackedTrees> packed = proved(
            problem, routing, std::move(trees), slack, isFirst && slack > 0))
      return packed;
    if (routing.most() < least * kGain) {
      least = routing.most();
      idle = -1;
    }
    if (!routing.avoidFullest())
      return std::nullopt;
  }
  return std::nullopt;
}
