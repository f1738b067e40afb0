//===- NetworkPeers.cpp - few neighbours across a network -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/symmetry/NetworkPeers.h"

#include "compiler/support/Error.h"
#include "compiler/topology/symmetry/Symmetry.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <map>
#include <set>

using namespace blink;

namespace {

/// Whom ranks reach how, at the least number of links.
class Reach {
public:
  Reach(const RankTopology &rankTopology, const Symmetry &symmetry)
      : symmetry_(symmetry), n_(rankTopology.numRanks()),
        kinds_(symmetry.representatives().size() * size_t(n_), -1) {
    const PathTable table = rankTopology.cheapestPaths(
        std::vector<double>(rankTopology.topology().links.size(), 0.0),
        symmetry.representatives());
    rowOf_ = table.rowOf;
    for (int from : symmetry.representatives())
      for (int to = 0; to < n_; ++to) {
        if (from == to || !std::isfinite(table.cost(from, to)))
          continue;
        int &kind = kinds_[table.place(from, to)];
        kind = 0;
        for (int link : table.path(from, to)) {
          const Topology &topology = rankTopology.topology();
          const int node = topology.links[link].to;
          kind |= topology.nodes[node].kind == NodeKind::nic;
        }
      }
  }

  /// The number of the orbit of a rank among those of representatives.
  int orbitOf(int rank) const {
    return rowOf_[size_t(symmetry_.representative(rank))];
  }
  /// What `to` is to the representative of the orbit of `from`.
  int asOfRepresentative(int from, int to) const {
    return symmetry_.mapRank(symmetry_.inverse(symmetry_.elementTo(from)), to);
  }
  bool network(int from, int to) const { return kindOf(from, to) == 1; }
  bool local(int from, int to) const { return kindOf(from, to) == 0; }

private:
  int kindOf(int from, int to) const {
    return kinds_[size_t(orbitOf(from)) * n_ + asOfRepresentative(from, to)];
  }

  const Symmetry &symmetry_;
  const int n_;
  std::vector<int> rowOf_; // of representatives
  std::vector<int> kinds_; // -1: no path, 1: over a network
};

/// Chooses pairs by what representatives have: all others have images of that.
class Chooser {
public:
  Chooser(const RankTopology &rankTopology, const Symmetry &symmetry);

  /// Whether all ranks reach each other then.
  bool run(int most);
  std::vector<bool> pairs() const;

private:
  /// Of each representative, in their order, others.
  using Peers = std::vector<std::vector<int>>;

  Peers at(int distance) const;
  bool fits(const Peers &more, int most) const;
  std::vector<int> hopsFrom(int source, const Peers &more) const;
  double spread(const Peers &more) const;
  template <typename Visit>
  void visitPeers(const Peers &peers, int rank, Visit visit) const {
    const int element = symmetry_.elementTo(rank);
    for (int other : peers[size_t(reach_.orbitOf(rank))])
      visit(symmetry_.mapRank(element, other));
  }

  const Symmetry &symmetry_;
  const Reach reach_;
  const int n_;
  Peers near_; // without the network
  Peers peers_;
  std::vector<std::vector<int>> servers_;
  std::vector<int> serverOf_, placeOf_;
};

Chooser::Chooser(const RankTopology &rankTopology, const Symmetry &symmetry)
    : symmetry_(symmetry), reach_(rankTopology, symmetry),
      n_(rankTopology.numRanks()), near_(symmetry.representatives().size()),
      peers_(near_.size()) {
  for (int from : symmetry.representatives())
    for (int to = 0; to < n_; ++to)
      if (reach_.local(from, to))
        near_[size_t(reach_.orbitOf(from))].push_back(to);
  llvm::EquivalenceClasses<int> joined;
  for (int rank = 0; rank < n_; ++rank) {
    joined.insert(rank);
    visitPeers(near_, rank, [&](int other) { joined.unionSets(rank, other); });
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

/// Pairs of ranks of servers that are so far apart, both ways.
Chooser::Peers Chooser::at(int distance) const {
  Peers pairs(peers_.size());
  auto add = [&](int from, int to) {
    std::vector<int> &list = pairs[size_t(reach_.orbitOf(from))];
    const int other = reach_.asOfRepresentative(from, to);
    if (!llvm::is_contained(list, other))
      list.push_back(other);
  };
  const int servers = static_cast<int>(servers_.size());
  for (int rank : symmetry_.representatives()) {
    const auto &others = servers_[(serverOf_[rank] + distance) % servers];
    const int count = static_cast<int>(others.size());
    for (int i = 0; i < count; ++i) { // the rank at its place, or the next
      const int other = others[(placeOf_[rank] + i) % count];
      if (!reach_.network(rank, other) || !reach_.network(other, rank))
        continue;
      add(rank, other);
      add(other, rank);
      break;
    }
  }
  for (std::vector<int> &others : pairs)
    llvm::sort(others);
  return pairs;
}

bool Chooser::fits(const Peers &more, int most) const {
  for (size_t orbit = 0; orbit < peers_.size(); ++orbit) {
    int count = static_cast<int>(peers_[orbit].size());
    for (int other : more[orbit])
      count += !llvm::is_contained(peers_[orbit], other);
    if (count > most)
      return false;
  }
  return true;
}

/// To each rank; n to one that is not reached.
std::vector<int> Chooser::hopsFrom(int source, const Peers &more) const {
  std::vector<int> hops(n_, n_), work = {source};
  work.reserve(n_);
  hops[source] = 0;
  for (size_t next = 0; next < work.size(); ++next) {
    const int from = work[next];
    for (const Peers *peers : {&near_, &peers_, &more})
      visitPeers(*peers, from, [&](int to) {
        if (hops[to] < n_)
          return;
        hops[to] = hops[from] + 1;
        work.push_back(to);
      });
  }
  return hops;
}

/// How far other ranks are on average from the first rank of each server (of
/// those that represent others), with `more` pairs; one that is not reached
/// counts as n.
double Chooser::spread(const Peers &more) const {
  double sum = 0;
  int sources = 0;
  std::set<int> seen; // servers
  for (int source : symmetry_.representatives()) {
    if (!seen.insert(serverOf_[source]).second)
      continue;
    ++sources;
    for (int hop : hopsFrom(source, more))
      sum += hop;
  }
  return sum / sources;
}

bool Chooser::run(int most) {
  const int servers = static_cast<int>(servers_.size());
  const Peers none(peers_.size());
  std::set<Peers> known{none}; // a distance is another one the other way
  std::vector<Peers> candidates;
  for (int distance = 1; distance < std::max(servers, 2); ++distance)
    if (Peers pairs = at(distance); known.insert(pairs).second)
      candidates.push_back(std::move(pairs));
  double least = spread(none);
  while (true) {
    const Peers *best = nullptr;
    for (const Peers &pairs : candidates) {
      if (!fits(pairs, most))
        continue;
      const double now = spread(pairs);
      if (now < least - 1e-9) {
        least = now;
        best = &pairs;
      }
    }
    if (!best)
      break;
    for (size_t orbit = 0; orbit < peers_.size(); ++orbit)
      for (int other : (*best)[orbit])
        if (!llvm::is_contained(peers_[orbit], other))
          peers_[orbit].push_back(other);
  }
  return llvm::all_of(symmetry_.representatives(), [&](int source) {
    return !llvm::is_contained(hopsFrom(source, none), n_);
  });
}

std::vector<bool> Chooser::pairs() const {
  std::vector<bool> pairs(size_t(n_) * n_, false);
  for (int from = 0; from < n_; ++from)
    for (const Peers *peers : {&near_, &peers_})
      visitPeers(*peers, from,
                 [&](int to) { pairs[size_t(from) * n_ + to] = true; });
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
  if (!chooser.run(most))
    return makeError("--max-peers {0}: too few neighbours across the network "
                     "to join all ranks; allow more",
                     most);
  return rankTopology.withPairs(chooser.pairs());
}
