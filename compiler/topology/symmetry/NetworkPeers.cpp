//===- NetworkPeers.cpp - few neighbours across a network -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/symmetry/NetworkPeers.h"

#include "compiler/support/Error.h"
#include "compiler/topology/symmetry/Symmetry.h"

#include "llvm/ADT/EquivalenceClasses.h"

#include <cmath>
#include <map>
#include <set>

using namespace blink;

namespace {

using Pair = std::pair<int, int>;

/// Whom ranks reach how, at the least number of links.
class Reach {
public:
  Reach(const RankTopology &rankTopology, const Symmetry &symmetry)
      : symmetry_(symmetry), n_(rankTopology.numRanks()),
        kinds_(size_t(n_) * n_, -1) {
    const PathTable table = rankTopology.cheapestPaths(
        std::vector<double>(rankTopology.topology().links.size(), 0.0),
        symmetry.representatives());
    for (int from : symmetry.representatives())
      for (int to = 0; to < n_; ++to) {
        if (from == to || !std::isfinite(table.cost(from, to)))
          continue;
        int &kind = kinds_[size_t(from) * n_ + to];
        kind = 0;
        for (int link : table.path(from, to)) {
          const Topology &topology = rankTopology.topology();
          const int node = topology.links[link].to;
          kind |= topology.nodes[node].kind == NodeKind::nic;
        }
      }
  }

  int numRanks() const { return n_; }
  /// A pair's image whose first rank represents its orbit.
  Pair canonical(int from, int to) const {
    const int back = symmetry_.inverse(symmetry_.elementTo(from));
    return {symmetry_.representative(from), symmetry_.mapRank(back, to)};
  }
  bool network(int from, int to) const { return kindOf(from, to) == 1; }
  bool local(int from, int to) const { return kindOf(from, to) == 0; }

private:
  int kindOf(int from, int to) const {
    auto [a, b] = canonical(from, to);
    return kinds_[size_t(a) * n_ + b];
  }

  const Symmetry &symmetry_;
  const int n_;
  std::vector<int> kinds_; // -1: no path, 1: over a network
};

class Chooser {
public:
  Chooser(const RankTopology &rankTopology, const Symmetry &symmetry)
      : symmetry_(symmetry), reach_(rankTopology, symmetry),
        n_(rankTopology.numRanks()), near_(n_), peers_(n_) {
    llvm::EquivalenceClasses<int> joined;
    for (int rank = 0; rank < n_; ++rank)
      joined.insert(rank);
    for (int from = 0; from < n_; ++from)
      for (int to = 0; to < n_; ++to)
        if (reach_.local(from, to)) {
          joined.unionSets(from, to);
          near_[from].push_back(to);
        }
    std::map<int, int> numberOf;
    for (int rank = 0; rank < n_; ++rank) {
      auto [server, isNew] = numberOf.try_emplace(
          joined.getLeaderValue(rank), static_cast<int>(servers_.size()));
      if (isNew)
        servers_.emplace_back();
      serverOf_.push_back(server->second);
      placeOf_.push_back(static_cast<int>(servers_[server->second].size()));
      servers_[server->second].push_back(rank);
    }
  }

  void run(int most);
  std::vector<bool> pairs() const;

private:
  std::set<Pair> at(int distance) const;
  bool fits(const std::set<Pair> &pairs, int most) const;
  void add(const std::set<Pair> &pairs);
  double spread(const std::set<Pair> &more) const;

  const Symmetry &symmetry_;
  const Reach reach_;
  const int n_;
  std::vector<std::vector<int>> near_; // without the network
  std::vector<std::set<int>> peers_;
  std::vector<std::vector<int>> servers_;
  std::vector<int> serverOf_, placeOf_;
};

/// Pairs of ranks of servers that are so far apart, both ways, with all that
/// symmetries make of them.
std::set<Pair> Chooser::at(int distance) const {
  std::set<Pair> pairs;
  const int servers = static_cast<int>(servers_.size());
  for (int rank : symmetry_.representatives()) {
    const auto &others = servers_[(serverOf_[rank] + distance) % servers];
    const int count = static_cast<int>(others.size());
    for (int i = 0; i < count; ++i) { // the rank at its place, or the next
      const int other = others[(placeOf_[rank] + i) % count];
      if (!reach_.network(rank, other) || !reach_.network(other, rank))
        continue;
      for (int element = 0; element < symmetry_.order(); ++element) {
        const int a = symmetry_.mapRank(element, rank);
        const int b = symmetry_.mapRank(element, other);
        pairs.insert({a, b});
        pairs.insert({b, a});
      }
      break;
    }
  }
  return pairs;
}

bool Chooser::fits(const std::set<Pair> &pairs, int most) const {
  std::vector<int> count(n_);
  for (int rank = 0; rank < n_; ++rank)
    count[rank] = static_cast<int>(peers_[rank].size());
  for (auto [a, b] : pairs)
    if (!peers_[a].count(b) && ++count[a] > most)
      return false;
  return true;
}

void Chooser::add(const std::set<Pair> &pairs) {
  for (auto [a, b] : pairs)
    peers_[a].insert(b);
}

/// How far other ranks are on average from the first rank of each server (of
/// those that represent others), with `more` pairs; one that is not reached
/// counts as n.
double Chooser::spread(const std::set<Pair> &more) const {
  std::vector<std::vector<int>> extra(n_);
  for (auto [a, b] : more)
    extra[a].push_back(b);
  double sum = 0;
  int sources = 0;
  std::set<int> seen; // servers
  for (int source : symmetry_.representatives()) {
    if (!seen.insert(serverOf_[source]).second)
      continue;
    ++sources;
    std::vector<int> hops(n_, n_), work = {source};
    hops[source] = 0;
    for (size_t next = 0; next < work.size(); ++next) {
      const int from = work[next];
      auto visit = [&](int to) {
        if (hops[to] < n_)
          return;
        hops[to] = hops[from] + 1;
        work.push_back(to);
      };
      for (int to : near_[from])
        visit(to);
      for (int to : peers_[from])
        visit(to);
      for (int to : extra[from])
        visit(to);
    }
    for (int hop : hops)
      sum += hop;
  }
  return sum / sources;
}

void Chooser::run(int most) {
  const int servers = static_cast<int>(servers_.size());
  std::vector<std::set<Pair>> candidates;
  for (int distance = 1; distance < std::max(servers, 2); ++distance)
    candidates.push_back(at(distance));
  double least = spread({});
  while (true) {
    const std::set<Pair> *best = nullptr;
    for (const std::set<Pair> &pairs : candidates) {
      if (pairs.empty() || !fits(pairs, most))
        continue;
      const double now = spread(pairs);
      if (now < least - 1e-9) {
        least = now;
        best = &pairs;
      }
    }
    if (!best)
      break;
    add(*best);
  }
}

std::vector<bool> Chooser::pairs() const {
  std::vector<bool> pairs(size_t(n_) * n_, false);
  for (int from = 0; from < n_; ++from) {
    for (int to : near_[from])
      pairs[size_t(from) * n_ + to] = true;
    for (int to : peers_[from])
      pairs[size_t(from) * n_ + to] = true;
  }
  return pairs;
}

} // namespace

int blink::mostNetworkPeers(const RankTopology &rankTopology) {
  const Symmetry symmetry = Symmetry::find(rankTopology);
  const Reach reach(rankTopology, symmetry);
  int most = 0;
  for (int from : symmetry.representatives()) {
    int own = 0;
    for (int to = 0; to < rankTopology.numRanks(); ++to)
      own += to != from && reach.network(from, to);
    most = std::max(most, own);
  }
  return most;
}

llvm::Expected<RankTopology>
blink::limitNetworkPeers(const RankTopology &rankTopology, int most) {
  if (!rankTopology.relays().empty())
    return makeError("--max-peers does not go with --relays");
  const Symmetry symmetry = Symmetry::find(rankTopology);
  Chooser chooser(rankTopology, symmetry);
  chooser.run(most);
  RankTopology limited = rankTopology.withPairs(chooser.pairs());
  if (limited.stronglyConnectedRanks().size() > 1)
    return makeError("--max-peers {0}: too few neighbours across the network "
                     "to join all ranks; allow more",
                     most);
  return limited;
}
