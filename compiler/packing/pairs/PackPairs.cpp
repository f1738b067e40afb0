//===- PackPairs.cpp - the paths of messages between two ranks ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/pairs/PackPairs.h"

#include "compiler/support/Error.h"
#include "compiler/support/Infinity.h"
#include "compiler/topology/fabric/DrivableLinks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

using namespace blink;
using llvm::Error;
using llvm::Expected;

namespace {

/// A path as indices into the list of links that a pair can use.
struct PairPath {
  std::vector<size_t> links;
  double rate; ///< GB/s that the optimum gives it
};

/// The paths of all pairs whose links look alike.
struct PairPaths {
  std::vector<PairPath> paths; ///< the fastest first
  double rate = 0;             ///< GB/s of all paths together
};

/// The links of a pair, with nodes numbered in order of appearance. Pairs for
/// which this is equal have the same paths at the same indices.
using Looks = std::vector<std::tuple<int, int, int, double, bool>>;

class PairPacker {
public:
  /// `whole` has all GPUs of the problem's machine, with the same kinds of
  /// link.
  PairPacker(const PackingProblem &problem, const RankTopology &whole)
      : problem_(problem), machine_(*problem.rankTopology), drivable_(whole) {}

  Expected<PackedTrees> run();

private:
  struct Pair {
    std::vector<int> links;
    const PairPaths *paths;
  };

  Looks looksOf(int from, int to, const std::vector<int> &links) const;
  Error addPair(int from, int to);
  Expected<PackedTrees> solve(int from, int to) const;
  /// Returns the number of `stars` that go over each path of a pair.
  static std::vector<int> apportion(const PairPaths &paths, int stars);
  /// Returns the rate of a pair in GB/s if `counts` of `stars` go over each
  /// path.
  double rateOf(const Pair &pair, const std::vector<int> &counts,
                int stars) const;
  int chooseStars() const;
  Packing makeStars(int stars) const;

  const PackingProblem &problem_;
  const RankTopology &machine_;
  DrivableLinks drivable_;
  std::map<Looks, PairPaths> known_;
  std::map<std::pair<int, int>, Pair> pairs_;
  PackingCertificate slowest_{{}, kInfinity};
};

} // namespace

Looks PairPacker::looksOf(int from, int to,
                          const std::vector<int> &links) const {
  const Topology &topology = machine_.topology();
  std::map<int, int> numbers{{machine_.nodeOf(from), 0},
                             {machine_.nodeOf(to), 1}};
  auto numberOf = [&](int node) {
    return numbers.emplace(node, int(numbers.size())).first->second;
  };
  Looks looks{{0, 0, 0, 0, machine_.peerJoined(from, to)}};
  for (int index : links) {
    const Link &link = topology.links[index];
    const int begin = numberOf(link.from), end = numberOf(link.to);
    const bool leavesFabric = topology.nodes[link.to].kind == NodeKind::cpu ||
                              topology.nodes[link.to].kind == NodeKind::nic;
    looks.emplace_back(begin, end, int(link.kind), link.bandwidth,
                       leavesFabric);
  }
  return looks;
}

/// Solves a broadcast between the two ranks alone, whose trees are paths.
Expected<PackedTrees> PairPacker::solve(int from, int to) const {
  Expected<RankTopology> both = RankTopology::create(
      machine_.topology(), {machine_.gpus()[from], machine_.gpus()[to]},
      machine_.linkKinds());
  if (!both)
    return both.takeError();
  return packTrees({&*both, Collective::broadcast, 0});
}

Error PairPacker::addPair(int from, int to) {
  Pair &pair = pairs_[{from, to}];
  pair.links = drivable_.between(machine_.gpus()[from], machine_.gpus()[to]);
  auto [entry, isNew] = known_.try_emplace(looksOf(from, to, pair.links));
  pair.paths = &entry->second;
  if (!isNew)
    return Error::success();
  Expected<PackedTrees> packed = solve(from, to);
  if (!packed)
    return packed.takeError();
  PairPaths &solved = entry->second;
  for (const Tree &tree : packed->packing.trees) {
    PairPath &path = solved.paths.emplace_back();
    path.rate = tree.weight;
    for (int link : tree.down.front().path)
      path.links.push_back(
          size_t(std::lower_bound(pair.links.begin(), pair.links.end(), link) -
                 pair.links.begin()));
  }
  std::stable_sort(
      solved.paths.begin(), solved.paths.end(),
      [](const PairPath &a, const PairPath &b) { return a.rate > b.rate; });
  solved.rate = packed->packing.algbw;
  if (packed->certificate.bound < slowest_.bound)
    slowest_ = std::move(packed->certificate);
  return Error::success();
}

std::vector<int> PairPacker::apportion(const PairPaths &paths, int stars) {
  std::vector<int> counts;
  std::vector<size_t> order;
  std::vector<double> rest;
  int left = stars;
  for (const PairPath &path : paths.paths) {
    const double exact = path.rate / paths.rate * stars;
    counts.push_back(int(exact + 1e-9));
    rest.push_back(exact - counts.back());
    left -= counts.back();
    order.push_back(order.size());
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return rest[a] > rest[b]; });
  for (size_t next = 0; left > 0; --left, next = (next + 1) % order.size())
    ++counts[order[next]];
  return counts;
}

double PairPacker::rateOf(const Pair &pair, const std::vector<int> &counts,
                          int stars) const {
  std::vector<int> uses(pair.links.size(), 0);
  double rate = kInfinity;
  for (size_t path = 0; path < counts.size(); ++path)
    for (size_t link : pair.paths->paths[path].links)
      uses[link] += counts[path];
  for (size_t link = 0; link < uses.size(); ++link)
    if (uses[link] > 0)
      rate =
          std::min(rate, machine_.topology().links[pair.links[link]].bandwidth *
                             stars / uses[link]);
  return rate;
}

int PairPacker::chooseStars() const {
  constexpr int kMostStars = 8;
  constexpr double kEnough = 0.95;
  int best = 1;
  double most = 0;
  for (int stars = 1; stars <= kMostStars && most < kEnough; ++stars) {
    double least = 1; // least part of a pair's optimum
    for (const auto &[ranks, pair] : pairs_)
      least =
          std::min(least, rateOf(pair, apportion(*pair.paths, stars), stars) /
                              pair.paths->rate);
    if (least > most) {
      most = least;
      best = stars;
    }
  }
  return best;
}

Packing PairPacker::makeStars(int stars) const {
  const int n = machine_.numRanks();
  Packing packing;
  packing.algbw = kInfinity;
  packing.trees.resize(size_t(n) * stars);
  for (int root = 0; root < n; ++root)
    for (int star = 0; star < stars; ++star)
      packing.trees[size_t(root) * stars + star].root = root;
  for (const auto &[ranks, pair] : pairs_) {
    const std::vector<int> counts = apportion(*pair.paths, stars);
    packing.algbw = std::min(packing.algbw, rateOf(pair, counts, stars));
    size_t star = size_t(ranks.first) * stars;
    for (size_t path = 0; path < counts.size(); ++path)
      for (int i = 0; i < counts[path]; ++i) {
        TreeEdge edge{ranks.first, ranks.second, {}};
        for (size_t link : pair.paths->paths[path].links)
          edge.path.push_back(pair.links[link]);
        packing.trees[star++].down.push_back(std::move(edge));
      }
  }
  for (Tree &tree : packing.trees)
    tree.weight = packing.algbw / stars;
  return packing;
}

Expected<PackedTrees> PairPacker::run() {
  const int n = machine_.numRanks();
  for (int from = 0; from < n; ++from)
    for (int to = 0; to < n; ++to)
      if (from != to)
        if (Error error = addPair(from, to))
          return error;
  PackedTrees result;
  result.packing = makeStars(chooseStars());
  result.certificate = std::move(slowest_);
  // Compute the bound as verification does: by the pair that is dearest at
  // these prices.
  const PathTable table = machine_.cheapestPaths(result.certificate.prices);
  double worth = 0, dearest = 0;
  for (size_t link = 0; link < machine_.topology().links.size(); ++link)
    worth += result.certificate.prices[link] *
             machine_.topology().links[link].bandwidth;
  for (int from = 0; from < n; ++from)
    for (int to = 0; to < n; ++to)
      if (from != to)
        dearest = std::max(dearest, table.cost(from, to));
  result.certificate.bound = worth / dearest;
  if (Error error = problem_.verify(result.packing))
    return error;
  return result;
}

Expected<PackedTrees> blink::packPairs(const PackingProblem &problem) {
  Expected<RankTopology> whole = RankTopology::create(
      problem.rankTopology->topology(), {}, problem.rankTopology->linkKinds());
  if (!whole)
    return whole.takeError();
  return PairPacker(problem, *whole).run();
}

Expected<Packing> blink::packNearestPairs(const PackingProblem &problem,
                                          const std::vector<double> &prices) {
  if (Error error = problem.check())
    return error;
  const RankTopology &machine = *problem.rankTopology;
  const PathTable table = machine.cheapestPaths(prices);
  Packing packing;
  packing.algbw = kInfinity;
  for (int root = 0; root < machine.numRanks(); ++root) {
    Tree &star = packing.trees.emplace_back();
    star.root = root;
    for (int to = 0; to < machine.numRanks(); ++to)
      if (to != root)
        star.down.push_back({root, to, table.path(root, to)});
    for (const TreeEdge &edge : star.down)
      for (int link : edge.path)
        packing.algbw =
            std::min(packing.algbw, machine.topology().links[link].bandwidth);
  }
  for (Tree &tree : packing.trees)
    tree.weight = packing.algbw;
  return packing;
}
