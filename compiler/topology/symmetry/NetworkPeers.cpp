//===- NetworkPeers.cpp - limit on peers across a network -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/symmetry/NetworkPeers.h"

#include "compiler/support/Error.h"
#include "compiler/support/Infinity.h"
#include "compiler/topology/fabric/FabricLinks.h"
#include "compiler/topology/symmetry/Symmetry.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <cmath>
#include <numeric>
#include <set>

using namespace blink;

namespace {

/// Which ranks count as far.
enum class Beyond {
  nics,  ///< Ranks that a path over a nic leads to.
  leaves ///< Ranks that a path over a link of the fabric leads to.
};

/// Which ranks reach which others, and how, by paths with the fewest links.
class Reach {
public:
  /// `symmetry` must outlive this object.
  Reach(const RankTopology &rankTopology, const Symmetry &symmetry,
        Beyond beyond)
      : symmetry_(&symmetry), n_(rankTopology.numRanks()),
        pairs_(symmetry.representatives().size() * size_t(n_)) {
    const Topology &topology = rankTopology.topology();
    std::vector<bool> isFabric(topology.links.size(), false);
    for (int link : fabricLinks(topology))
      isFabric[link] = true;
    const PathTable table = rankTopology.cheapestPaths(
        std::vector<double>(topology.links.size(), 0.0),
        symmetry.representatives());
    rowOf_ = table.rowOf;
    for (int from : symmetry.representatives())
      for (int to = 0; to < n_; ++to) {
        if (from == to || !std::isfinite(table.cost(from, to)))
          continue;
        Pair &pair = pairs_[table.place(from, to)];
        pair.isJoined = true;
        bool overFabric = false;
        for (int link : table.path(from, to)) {
          const int node = topology.links[link].to;
          pair.overNic |= topology.nodes[node].kind == NodeKind::nic;
          overFabric |= isFabric[link];
        }
        pair.isFar = beyond == Beyond::nics ? pair.overNic : overFabric;
      }
  }

  /// Returns the reach by what divides the ranks: nics; or, if there are many
  /// ranks and nics divide none or all of them, the first switches of a fabric.
  static Reach of(const RankTopology &rankTopology, const Symmetry &symmetry) {
    Reach byNics(rankTopology, symmetry, Beyond::nics);
    if (byNics.divides() || rankTopology.numRanks() <= kMostUnlimited)
      return byNics;
    Reach byLeaves(rankTopology, symmetry, Beyond::leaves);
    return byLeaves.divides() ? byLeaves : byNics;
  }

  /// Returns the number of a rank's orbit, in the order of representatives.
  int orbitOf(int rank) const {
    return rowOf_[size_t(symmetry_->representative(rank))];
  }
  /// Returns the rank that is to the representative of the orbit of `from` what
  /// `to` is to `from`.
  int asOfRepresentative(int from, int to) const {
    return symmetry_->mapRank(symmetry_->inverse(symmetry_->elementTo(from)),
                              to);
  }
  bool far(int from, int to) const { return pair(from, to).isFar; }
  bool near(int from, int to) const {
    return pair(from, to).isJoined && !far(from, to);
  }
  /// The most ranks that one rank can send to: near ones over a nic, and, in
  /// mostPeers(), all near ones over a nic and all far ones.
  int mostNearOverNic() const {
    return most([](const Pair &pair) { return pair.overNic && !pair.isFar; });
  }
  int mostPeers() const {
    return most([](const Pair &pair) { return pair.overNic || pair.isFar; });
  }
  bool overNics() const {
    return llvm::any_of(pairs_, [](const Pair &pair) { return pair.overNic; });
  }

private:
  struct Pair {
    bool isJoined = false, overNic = false, isFar = false;
  };

  const Pair &pair(int from, int to) const {
    return pairs_[size_t(orbitOf(from)) * n_ + asOfRepresentative(from, to)];
  }
  bool divides() const {
    return llvm::any_of(pairs_, [](const Pair &pair) { return pair.isFar; }) &&
           llvm::any_of(pairs_, [](const Pair &pair) {
             return pair.isJoined && !pair.isFar;
           });
  }
  template <typename Predicate> int most(Predicate predicate) const {
    int most = 0;
    for (size_t row = 0; row < pairs_.size(); row += size_t(n_))
      most = std::max(
          most, int(std::count_if(pairs_.begin() + long(row),
                                  pairs_.begin() + long(row) + n_, predicate)));
    return most;
  }

  const Symmetry *symmetry_;
  int n_;
  std::vector<int> rowOf_; // per rank; set for representatives
  std::vector<Pair> pairs_;
};

/// With more servers than kAllDistances, only some distances are tried, and
/// hops are counted from kSomeSources ranks at most.
constexpr int kAllDistances = 512;
constexpr int kSomeDistances = 64;
constexpr size_t kSomeSources = 4;

/// Chooses pairs for the representatives; all other ranks get the images of
/// these.
class Chooser {
public:
  Chooser(const RankTopology &rankTopology, const Symmetry &symmetry,
          Reach reach);

  /// Chooses the pairs such that no rank sends to more than `most` far ranks.
  /// Returns true if all ranks reach each other then.
  bool run(int most);
  int numServers() const { return static_cast<int>(servers_.size()); }
  /// Returns, for each rank, the ranks that it may send to, ascending.
  std::vector<std::vector<int>> pairs() const;

private:
  /// For each representative, in their order, some other ranks.
  using Peers = std::vector<std::vector<int>>;
  /// Some other ranks for each rank.
  struct Lists {
    std::vector<size_t> begins;
    std::vector<int> ranks;
    llvm::ArrayRef<int> of(int rank) const {
      return llvm::ArrayRef(ranks).slice(begins[size_t(rank)],
                                         begins[size_t(rank) + 1] -
                                             begins[size_t(rank)]);
    }
  };
  /// The ranks that each rank sends to, and those that send to it.
  struct Edges {
    Lists out, in;
  };

  Peers at(int distance) const;
  std::vector<int> distances() const;
  bool fits(const Peers &more, int most) const;
  Edges imagesOf(const std::vector<const Peers *> &parts) const;
  double hopsFrom(int source, llvm::ArrayRef<const Edges *> edges, double most,
                  double lost) const;
  double hopsFromEach(llvm::ArrayRef<int> sources,
                      llvm::ArrayRef<const Edges *> edges, double most) const;
  double spread(llvm::ArrayRef<const Edges *> edges, double most) const;
  template <typename Visit>
  void visitPeers(const Peers &peers, int rank, Visit visit) const {
    const int element = symmetry_.elementTo(rank);
    for (int other : peers[size_t(reach_.orbitOf(rank))])
      visit(symmetry_.mapRank(element, other));
  }

  const Symmetry &symmetry_;
  const Reach reach_;
  const int n_;
  Peers near_; // in the same server
  Peers peers_;
  std::vector<std::vector<int>> servers_;
  std::vector<int> serverOf_, placeOf_;
  // The first representative in each server that has one.
  std::vector<int> sources_;
};

Chooser::Chooser(const RankTopology &rankTopology, const Symmetry &symmetry,
                 Reach reach)
    : symmetry_(symmetry), reach_(std::move(reach)),
      n_(rankTopology.numRanks()), near_(symmetry.representatives().size()),
      peers_(near_.size()) {
  for (int from : symmetry.representatives())
    for (int to = 0; to < n_; ++to)
      if (reach_.near(from, to))
        near_[size_t(reach_.orbitOf(from))].push_back(to);
  llvm::IntEqClasses joined(static_cast<unsigned>(n_));
  for (int rank = 0; rank < n_; ++rank)
    visitPeers(near_, rank, [&](int other) {
      joined.join(unsigned(rank), unsigned(other));
    });
  joined.compress(); // numbers the classes by their first ranks
  servers_.resize(joined.getNumClasses());
  for (int rank = 0; rank < n_; ++rank) {
    const int server = static_cast<int>(joined[unsigned(rank)]);
    serverOf_.push_back(server);
    placeOf_.push_back(static_cast<int>(servers_[size_t(server)].size()));
    servers_[size_t(server)].push_back(rank);
  }
  std::set<int> seen; // servers
  for (int source : symmetry.representatives())
    if (seen.insert(serverOf_[source]).second)
      sources_.push_back(source);
  if (servers_.size() > size_t(kAllDistances) && sources_.size() > kSomeSources)
    sources_.resize(kSomeSources);
}

/// Returns the distances to be tried: all of them, or, on a large circle, the
/// short ones and as many more spread over the rest of half the circle.
std::vector<int> Chooser::distances() const {
  const int servers = static_cast<int>(servers_.size());
  std::vector<int> distances;
  if (servers <= kAllDistances) {
    for (int distance = 1; distance < std::max(servers, 2); ++distance)
      distances.push_back(distance);
    return distances;
  }
  for (int distance = 1; distance <= kSomeDistances; ++distance)
    distances.push_back(distance);
  for (int part = 1; part <= kSomeDistances; ++part)
    distances.push_back(kSomeDistances +
                        part * (servers / 2 - kSomeDistances) / kSomeDistances);
  return distances;
}

/// Returns pairs of ranks, both ways, whose servers are `distance` apart.
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
    // The rank at the same place, or a later one.
    for (int i = 0; i < count; ++i) {
      const int other = others[(placeOf_[rank] + i) % count];
      if (!reach_.far(rank, other) || !reach_.far(other, rank))
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

/// Returns the edges of all ranks if representatives send to `parts`.
Chooser::Edges
Chooser::imagesOf(const std::vector<const Peers *> &parts) const {
  Edges edges;
  std::vector<size_t> &inBegins = edges.in.begins;
  inBegins.assign(size_t(n_) + 1, 0);
  for (int from = 0; from < n_; ++from) {
    edges.out.begins.push_back(edges.out.ranks.size());
    for (const Peers *part : parts)
      visitPeers(*part, from, [&](int to) {
        edges.out.ranks.push_back(to);
        ++inBegins[size_t(to) + 1];
      });
  }
  edges.out.begins.push_back(edges.out.ranks.size());
  std::partial_sum(inBegins.begin(), inBegins.end(), inBegins.begin());
  edges.in.ranks.resize(edges.out.ranks.size());
  std::vector<size_t> next = inBegins;
  for (int from = 0; from < n_; ++from)
    for (int to : edges.out.of(from))
      edges.in.ranks[next[size_t(to)]++] = from;
  return edges;
}

/// Returns the sum of the hops from `source` to all other ranks, where a rank
/// that is not reached counts as `lost`. Returns `most` as soon as the sum is
/// known to reach it.
double Chooser::hopsFrom(int source, llvm::ArrayRef<const Edges *> edges,
                         double most, double lost) const {
  std::vector<char> isReached(static_cast<size_t>(n_), false);
  std::vector<int> layer{source}, rest, next;
  isReached[size_t(source)] = true;
  int left = n_ - 1;
  double sum = 0;
  for (int hops = 1; left > 0 && !layer.empty(); ++hops) {
    if (sum + double(left) * hops >= most)
      return most;
    next.clear();
    // Either the ranks of the last layer look at all their peers, or the ranks
    // not reached yet look for a sender that is reached. The latter is faster
    // once many are reached, because such a rank soon finds one.
    constexpr size_t kLooks = 4;
    if (layer.size() * kLooks < size_t(left)) {
      for (int from : layer)
        for (const Edges *part : edges)
          for (int to : part->out.of(from))
            if (!isReached[size_t(to)]) {
              isReached[size_t(to)] = true;
              next.push_back(to);
            }
      rest.clear();
    } else {
      if (rest.empty())
        for (int rank = 0; rank < n_; ++rank)
          if (!isReached[size_t(rank)])
            rest.push_back(rank);
      size_t kept = 0;
      const auto reaches = [&](int from) { return isReached[size_t(from)]; };
      const auto isNext = [&](int to) {
        return llvm::any_of(edges, [&](const Edges *part) {
          return llvm::any_of(part->in.of(to), reaches);
        });
      };
      for (int to : rest)
        (isNext(to) ? next.emplace_back() : rest[kept++]) = to;
      rest.resize(kept);
      for (int rank : next)
        isReached[size_t(rank)] = true;
    }
    left -= static_cast<int>(next.size());
    sum += double(hops) * double(next.size());
    layer.swap(next);
  }
  return left > 0 ? sum + left * lost : sum;
}

/// Returns the sum of hopsFrom, with `lost` as many hops as there are ranks, of
/// up to 64 sources; or `most`, if that is less. All of them are followed at
/// the same time, each in a bit of a rank's word, so it takes little longer
/// than for one source.
double Chooser::hopsFromEach(llvm::ArrayRef<int> sources,
                             llvm::ArrayRef<const Edges *> edges,
                             double most) const {
  std::vector<uint64_t> reached(static_cast<size_t>(n_), 0), next;
  uint64_t all = 0;
  for (auto [bit, source] : llvm::enumerate(sources)) {
    reached[size_t(source)] |= uint64_t(1) << bit;
    all |= uint64_t(1) << bit;
  }
  std::vector<int> rest; // ranks that some source has not reached
  for (int rank = 0; rank < n_; ++rank)
    rest.push_back(rank);
  double left = double(sources.size()) * (n_ - 1), sum = 0;
  for (int hops = 1; left > 0; ++hops) {
    if (sum + left * hops >= most)
      return most;
    next = reached;
    int found = 0;
    size_t kept = 0;
    for (int to : rest) {
      uint64_t &bits = next[size_t(to)];
      for (const Edges *part : edges)
        for (int from : part->in.of(to)) {
          if (bits == all)
            break;
          bits |= reached[size_t(from)];
        }
      found += llvm::popcount(bits & ~reached[size_t(to)]);
      if (bits != all)
        rest[kept++] = to;
    }
    if (found == 0)
      return sum + left * n_;
    rest.resize(kept);
    left -= found;
    sum += double(hops) * found;
    reached.swap(next);
  }
  return sum;
}

/// Returns the sum of the hops to all other ranks, averaged over sources_; or
/// `most`, if that is less.
double Chooser::spread(llvm::ArrayRef<const Edges *> edges, double most) const {
  constexpr size_t kBits = 64, kFew = 4;
  const auto count = double(sources_.size());
  double sum = 0;
  llvm::ArrayRef<int> rest = sources_;
  while (!rest.empty()) {
    const llvm::ArrayRef<int> now =
        rest.take_front(sources_.size() < kFew ? 1 : kBits);
    const double limit = most * count - sum;
    sum += now.size() == 1 ? hopsFrom(now.front(), edges, limit, n_)
                           : hopsFromEach(now, edges, limit);
    if (sum >= most * count)
      return most;
    rest = rest.drop_front(now.size());
  }
  return sum / count;
}

bool Chooser::run(int most) {
  const Peers none(peers_.size());
  // A distance may make the same pairs as its reverse.
  std::set<Peers> known{none};
  std::vector<Peers> candidates;
  for (int distance : distances())
    if (Peers pairs = at(distance); known.insert(pairs).second)
      candidates.push_back(std::move(pairs));
  Edges chosen = imagesOf({&near_});
  double least = spread(&chosen, kInfinity);
  while (true) {
    const Peers *best = nullptr;
    for (const Peers &pairs : candidates) {
      if (!fits(pairs, most))
        continue;
      const Edges more = imagesOf({&pairs});
      const double now = spread({&chosen, &more}, least);
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
    chosen = imagesOf({&near_, &peers_});
  }
  return llvm::all_of(symmetry_.representatives(), [&](int source) {
    return hopsFrom(source, &chosen, kInfinity, kInfinity) < kInfinity;
  });
}

std::vector<std::vector<int>> Chooser::pairs() const {
  std::vector<std::vector<int>> pairs(static_cast<size_t>(n_));
  for (int from = 0; from < n_; ++from) {
    std::vector<int> &others = pairs[size_t(from)];
    for (const Peers *peers : {&near_, &peers_})
      visitPeers(*peers, from, [&](int to) { others.push_back(to); });
    llvm::sort(others);
    others.erase(std::unique(others.begin(), others.end()), others.end());
  }
  return pairs;
}

} // namespace

NetworkPeers blink::networkPeers(const RankTopology &rankTopology) {
  const Symmetry symmetry = Symmetry::find(rankTopology);
  const Reach reach = Reach::of(rankTopology, symmetry);
  return {reach.mostPeers(), reach.mostNearOverNic(),
          Chooser(rankTopology, symmetry, reach).numServers(),
          reach.overNics()};
}

llvm::Expected<RankTopology>
blink::limitNetworkPeers(const RankTopology &rankTopology, int most) {
  if (!rankTopology.relays().empty())
    return makeError("--max-peers cannot be combined with --relays");
  const Symmetry symmetry = Symmetry::find(rankTopology);
  Reach reach = Reach::of(rankTopology, symmetry);
  if (reach.mostNearOverNic() >= most)
    reach = Reach(rankTopology, symmetry, Beyond::nics);
  const int mostFar = most - reach.mostNearOverNic();
  Chooser chooser(rankTopology, symmetry, std::move(reach));
  if (!chooser.run(mostFar))
    return makeError("--max-peers {0}: too few neighbours across the network "
                     "to join all ranks; allow more",
                     most);
  return rankTopology.withPairs(chooser.pairs());
}
