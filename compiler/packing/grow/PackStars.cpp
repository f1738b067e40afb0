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

/// Searches for paths; more ranks than that share a search.
constexpr size_t kMostSearches = size_t(1) << 15;

/// Routes the blocks between roots and ranks, one after the other.
class Routing {
public:
  explicit Routing(const SymmetricProblem &problem)
      : problem_(problem), machine_(*problem.problem().rankTopology),
        gathers_(hasUpTrees(problem.problem().collective)),
        loads_(size_t(problem.numRows()), 0.0),
        wanted_(size_t(machine_.numRanks()), false) {}

  /// Returns a tree for each root; none if some rank has no path.
  std::vector<Tree> run();
  /// Returns the links from (or, if `enters`, to) ranks that are as full as the
  /// fullest of them, with a price of 1.
  std::vector<double> fullestAtRanks(bool enters) const;

private:
  bool routeFrom(int from, const std::vector<int> &others, size_t together,
                 Tree &tree);
  std::vector<double> prices() const;
  double fullness(int link) const {
    const int row = problem_.rowOf(link);
    return row < 0 ? 0 : loads_[size_t(row)] / problem_.capacity(row);
  }

  const SymmetricProblem &problem_;
  const RankTopology &machine_;
  bool gathers_;              // up trees: from each rank to the root
  std::vector<double> loads_; // per row, of a unit on each path
  std::vector<bool> wanted_;
};

/// Returns prices by which the shortest path is the cheapest, and among equally
/// short ones that over the least full links.
std::vector<double> Routing::prices() const {
  constexpr double kTie = 1e-3; // a path has far fewer than 1,000 links
  const size_t numLinks = machine_.topology().links.size();
  double most = 0;
  std::vector<double> prices;
  for (size_t link = 0; link < numLinks; ++link) {
    prices.push_back(fullness(static_cast<int>(link)));
    most = std::max(most, prices.back());
  }
  for (double &price : prices)
    price = 1 + (most > 0 ? kTie * price / most : 0);
  return prices;
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

std::vector<double> Routing::fullestAtRanks(bool enters) const {
  constexpr double kSame = 1 - 1e-9;
  const std::vector<Link> &links = machine_.topology().links;
  std::vector<int> atRanks;
  double most = 0;
  for (size_t at = 0; at < links.size(); ++at) {
    const int node = enters ? links[at].to : links[at].from;
    if (machine_.topology().nodes[size_t(node)].kind != NodeKind::gpu)
      continue;
    atRanks.push_back(static_cast<int>(at));
    most = std::max(most, fullness(atRanks.back()));
  }
  std::vector<double> prices(links.size(), 0.0);
  for (int link : atRanks)
    if (fullness(link) >= most * kSame)
      prices[size_t(link)] = 1;
  return prices;
}

} // namespace

std::optional<PackedTrees> blink::packStars(const SymmetricProblem &problem,
                                            double slack) {
  constexpr double kRounding = 1e-9;
  const PackingProblem &of = problem.problem();
  const RankTopology &machine = *of.rankTopology;
  if (!isRouted(of.collective) || isPairwise(of.collective) ||
      machine.numRanks() <= kFewRanks || machine.isPhased() ||
      !machine.relays().empty())
    return std::nullopt;
  Routing routing(problem);
  PackedTrees packed;
  packed.candidates = routing.run();
  if (packed.candidates.empty())
    return std::nullopt;
  ColumnPool pool(problem);
  for (const Tree &tree : packed.candidates)
    pool.add(tree);
  packed.packing =
      fitColumns(pool, std::vector<double>(packed.candidates.size(), 1.0));
  const double enough = packed.packing.algbw / (1 - std::max(slack, kRounding));
  packed.certificate.bound = kInfinity;
  for (bool enters : {false, true}) {
    PackingCertificate proved =
        boundAt(problem, routing.fullestAtRanks(enters));
    if (proved.bound < packed.certificate.bound)
      packed.certificate = std::move(proved);
    if (packed.certificate.bound <= packed.packing.algbw * (1 + kRounding))
      break;
  }
  if (!(packed.certificate.bound <= enough))
    return std::nullopt;
  if (llvm::Error error = of.verify(packed.packing)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  return packed;
}
