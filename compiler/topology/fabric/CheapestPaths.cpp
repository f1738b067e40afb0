//===- CheapestPaths.cpp - search for drivable paths ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// RankTopology::cheapestPaths: Dijkstra from each rank over the layered graph
// of PathLayers.h. A path that turns round at a cpu comes back through the same
// switches in another layer, so Dijkstra handles it without a special case.
//
// With relays a path is a chain of such paths, joined at relays.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/fabric/RankTopology.h"

#include "compiler/support/Infinity.h"
#include "compiler/support/Numbers.h"
#include "compiler/topology/fabric/PathLayers.h"

#include "llvm/ADT/EquivalenceClasses.h"

#include <algorithm>
#include <limits>
#include <map>
#include <queue>

using namespace blink;

namespace {

/// A path found so far: its price, its last link, and the label before it.
struct Label {
  double cost;
  int hops;
  double latency;
  int link;     ///< -1 at the source.
  int previous; ///< Index into Search::labels_.
  int state;    ///< node * numPathLayers + layer.
};

class Search {
public:
  Search(const Topology &topology,
         const std::vector<std::vector<int>> &outLinks,
         const std::vector<int> &rankOfNode, const std::vector<double> &prices)
      : topology_(topology), outLinks_(outLinks), rankOfNode_(rankOfNode),
        prices_(prices), settled_(topology.nodes.size() * numPathLayers),
        best_(topology.nodes.size() * numPathLayers, -1) {}

  /// Finds the paths from a rank. Paths cross nics only if `nics` is true.
  /// joined[r] tells whether rank r is peer-joined with the source. If there
  /// are `wanted` GPU nodes, the search ends once the paths to them are known.
  void run(int sourceNode, const std::vector<bool> &joined, bool nics = true,
           const std::vector<int> *wanted = nullptr);

  /// After run(): returns the label of the best path to a GPU node, or null.
  const Label *arrival(int gpuNode) const {
    int label = best_[gpuNode * numPathLayers];
    return label == -1 ? nullptr : &labels_[label];
  }
  Path pathTo(const Label &label) const;
  /// After run(): calls `visit` with each rank that was reached, the source
  /// included, possibly more than once.
  template <typename Visit> void visitReached(Visit visit) const {
    for (const Label &label : labels_)
      if (int rank = rankOfNode_[label.state / numPathLayers]; rank >= 0)
        visit(rank);
  }

private:
  /// The total order that RankTopology::cheapestPaths documents.
  bool isBetter(const Label &a, const Label &b) const;
  void extend(int label, const std::vector<bool> &joined);
  /// Returns whether each of the GPU nodes has a path that costs less than
  /// `cost`, so that no label of that cost leads to a better one.
  bool haveLess(const std::vector<int> &gpuNodes, double cost) const {
    return std::all_of(gpuNodes.begin(), gpuNodes.end(), [&](int node) {
      const Label *label = arrival(node);
      return label && label->cost < cost;
    });
  }
  void offer(const Label &label, bool isTransit);

  const Topology &topology_;
  const std::vector<std::vector<int>> &outLinks_;
  const std::vector<int> &rankOfNode_;
  const std::vector<double> &prices_;
  bool nics_ = true;
  std::vector<Label> labels_;
  std::vector<char> settled_;
  std::vector<int> best_; // per state; a GPU has one state, layer 0
  std::vector<int> heap_;
};

} // namespace

Path Search::pathTo(const Label &label) const {
  Path path(label.hops);
  const Label *at = &label;
  for (int hop = label.hops; hop-- > 0; at = &labels_[at->previous])
    path[hop] = at->link;
  return path;
}

bool Search::isBetter(const Label &a, const Label &b) const {
  if (a.cost != b.cost)
    return a.cost < b.cost;
  if (a.hops != b.hops)
    return a.hops < b.hops;
  if (a.latency != b.latency)
    return a.latency < b.latency;
  // Both paths have the same length: the one whose first different link has the
  // smaller index wins. The walk goes backwards, so it meets that link last.
  bool better = false;
  for (const Label *x = &a, *y = &b; x != y && x->link != -1;
       x = &labels_[x->previous], y = &labels_[y->previous])
    if (x->link != y->link)
      better = x->link < y->link;
  return better;
}

void Search::offer(const Label &label, bool isTransit) {
  int &best = best_[label.state];
  if (best != -1 && !isBetter(label, labels_[best]))
    return;
  best = static_cast<int>(labels_.size());
  labels_.push_back(label);
  if (!isTransit)
    return;
  heap_.push_back(best);
  std::push_heap(heap_.begin(), heap_.end(), [&](int x, int y) {
    return isBetter(labels_[y], labels_[x]);
  });
}

void Search::extend(int index, const std::vector<bool> &joined) {
  const Label label = labels_[index];
  PathLayer layer = static_cast<PathLayer>(label.state % numPathLayers);
  for (int linkIndex : outLinks_[label.state / numPathLayers]) {
    const Link &link = topology_.links[linkIndex];
    NodeKind kind = topology_.nodes[link.to].kind;
    if (kind == NodeKind::nic && !nics_)
      continue;
    PathLayer next = layerAfter(layer, link.kind, kind);

    int state = link.to * numPathLayers;
    bool isTransit = kind != NodeKind::gpu;
    if (isTransit) {
      state += next;
      if (settled_[state])
        continue;
    } else {
      int rank = rankOfNode_[link.to];
      if (rank == -1 || (next == pcieLayer && joined[rank]))
        continue;
    }
    offer({label.cost + prices_[linkIndex], label.hops + 1,
           label.latency + link.latency, linkIndex, index, state},
          isTransit);
  }
}

void Search::run(int sourceNode, const std::vector<bool> &joined, bool nics,
                 const std::vector<int> *wanted) {
  nics_ = nics;
  // Resets only the states that the last run touched; the machine may be far
  // larger.
  for (const Label &label : labels_) {
    settled_[label.state] = false;
    best_[label.state] = -1;
  }
  labels_.clear();
  heap_.clear();
  // The label of the source keeps all paths from coming back to it.
  labels_.push_back({0, 0, 0, -1, -1, sourceNode * numPathLayers});
  best_[sourceNode * numPathLayers] = 0;
  extend(0, joined);
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), [&](int x, int y) {
      return isBetter(labels_[y], labels_[x]);
    });
    int label = heap_.back();
    heap_.pop_back();
    int state = labels_[label].state;
    if (settled_[state])
      continue;
    if (wanted && haveLess(*wanted, labels_[label].cost))
      return;
    settled_[state] = true;
    extend(label, joined);
  }
}

namespace {

/// The ranks that are peer-joined with a rank.
class PeerRanks {
public:
  /// `groups` are the peer groups of each rank, `members` the ranks of each
  /// group.
  PeerRanks(const std::vector<std::vector<int>> &groups,
            const std::vector<std::vector<int>> &members)
      : groups_(groups), members_(members), joined_(groups.size(), false) {}

  /// Returns whether each rank is joined with `rank`. Valid until the next
  /// call.
  const std::vector<bool> &of(int rank) {
    mark(last_, false);
    mark(last_ = rank, true);
    return joined_;
  }

private:
  void mark(int rank, bool value) {
    for (int group : groups_[rank])
      for (int member : members_[group])
        joined_[member] = value;
  }

  const std::vector<std::vector<int>> &groups_, &members_;
  std::vector<bool> joined_;
  int last_ = 0;
};

} // namespace

PathTable PathTable::from(const std::vector<int> &sources, int numRanks) {
  PathTable table;
  table.numRanks = numRanks;
  table.rowOf.assign(size_t(numRanks), -1);
  for (size_t row = 0; row < sources.size(); ++row)
    table.rowOf[size_t(sources[row])] = int(row);
  table.costs.assign(sources.size() * numRanks,
                     std::numeric_limits<double>::infinity());
  table.paths.resize(sources.size() * numRanks);
  return table;
}

/// Calls visit(from, to, label, search) with the cheapest path, without a GPU
/// on the way, from each of some ranks and relays to each rank and relay that
/// it reaches, or to those of them that are wanted.
template <typename Visit>
void RankTopology::visitDirect(const std::vector<double> &prices,
                               const std::vector<int> &sources, Visit visit,
                               const std::vector<bool> *wanted) const {
  std::vector<int> others, nodes;
  for (int to = 0; to < numRanks() + static_cast<int>(relays_.size()); ++to)
    if (!wanted || (*wanted)[to]) {
      others.push_back(to);
      nodes.push_back(nodeOf(to));
    }
  const std::vector<int> *enough = wanted ? &nodes : nullptr;
  Search search(topology_, outLinks_, rankOfNode_, prices);
  PeerRanks peers(peerGroups_, peerMembers_);
  for (int from : sources) {
    const std::vector<bool> &joined = peers.of(from);
    auto take = [&](int to) {
      if (const Label *label = search.arrival(nodeOf(to)))
        visit(from, to, *label, search);
    };
    search.run(nodeOf(from), joined, /*nics=*/true, enough);
    if (isLimited()) {
      take(from);
      for (int to : pairs_[from])
        if (!wanted || (*wanted)[to])
          take(to);
      continue;
    }
    for (int to : others)
      if (!isPhased() || serverOf_[from] != serverOf_[to])
        take(to);
    if (!isPhased())
      continue;
    search.run(nodeOf(from), joined, /*nics=*/false, enough);
    for (int to : others)
      if (serverOf_[from] == serverOf_[to])
        take(to);
  }
}

PathTable RankTopology::directPaths(const std::vector<double> &prices,
                                    const std::vector<int> &sources,
                                    const std::vector<bool> *wanted) const {
  PathTable table =
      PathTable::from(sources, numRanks() + static_cast<int>(relays_.size()));
  visitDirect(
      prices, sources,
      [&](int from, int to, const Label &label, const Search &search) {
        table.costs[table.place(from, to)] = label.cost;
        table.paths[table.place(from, to)] = search.pathTo(label);
      },
      wanted);
  return table;
}

std::vector<std::vector<int>> RankTopology::reachedRanks() const {
  const int n = numRanks();
  if (isLimited())
    return pairs_;
  const std::vector<double> prices(topology_.links.size(), 0.0);
  std::vector<std::vector<int>> reached(n);
  if (relays_.empty()) {
    visitDirect(prices, firstNumbers(n),
                [&](int from, int to, const Label &, const Search &) {
                  if (from != to)
                    reached[from].push_back(to);
                });
    return reached;
  }
  const PathTable table = relayedPaths(prices);
  for (int from = 0; from < n; ++from)
    for (int to = 0; to < n; ++to)
      if (from != to && table.cost(from, to) < kInfinity)
        reached[from].push_back(to);
  return reached;
}

RankTopology RankTopology::withPhases() const {
  const int n = numRanks();
  const std::vector<double> prices(topology_.links.size(), 0.0);
  Search search(topology_, outLinks_, rankOfNode_, prices);
  PeerRanks peers(peerGroups_, peerMembers_);
  llvm::EquivalenceClasses<int> servers;
  for (int from = 0; from < n; ++from) {
    servers.insert(from);
    search.run(nodeOf(from), peers.of(from), /*nics=*/false);
    search.visitReached([&](int to) { servers.unionSets(from, to); });
  }
  RankTopology phased = *this;
  phased.serverOf_.clear();
  std::map<int, int> numbers;
  for (int rank = 0; rank < n; ++rank)
    phased.serverOf_.push_back(
        numbers
            .try_emplace(servers.getLeaderValue(rank),
                         static_cast<int>(numbers.size()))
            .first->second);
  return phased;
}

int RankTopology::numServers() const {
  return isPhased() ? *std::max_element(serverOf_.begin(), serverOf_.end()) + 1
                    : 0;
}

/// Returns the cheapest paths that may run over relays: Dijkstra over direct
/// paths.
PathTable RankTopology::relayedPaths(const std::vector<double> &prices) const {
  int n = numRanks(), all = n + static_cast<int>(relays_.size());
  PathTable direct = directPaths(prices, firstNumbers(all));

  PathTable table = PathTable::from(firstNumbers(n), n);
  for (int from = 0; from < n; ++from) {
    std::vector<double> costs(all, kInfinity);
    std::vector<Path> paths(all);
    std::vector<bool> settled(all, false);
    auto extend = [&](int at) {
      for (int to = 0; to < all; ++to) {
        double cost = (at == from ? 0 : costs[at]) + direct.cost(at, to);
        size_t length = paths[at].size() + direct.path(at, to).size();
        if (to == from || settled[to] || cost == kInfinity ||
            std::make_pair(cost, length) >=
                std::make_pair(costs[to], paths[to].size()))
          continue;
        costs[to] = cost;
        paths[to] = paths[at];
        paths[to].insert(paths[to].end(), direct.path(at, to).begin(),
                         direct.path(at, to).end());
      }
    };
    settled[from] = true;
    extend(from);
    while (true) {
      int next = -1; // the cheapest relay that is not settled
      for (int at = n; at < all; ++at)
        if (!settled[at] && costs[at] < kInfinity &&
            (next < 0 || std::make_pair(costs[at], paths[at].size()) <
                             std::make_pair(costs[next], paths[next].size())))
          next = at;
      if (next < 0)
        break;
      settled[next] = true;
      extend(next);
    }
    costs[from] = 0;
    for (int to = 0; to < n; ++to) {
      table.costs[size_t(from) * n + to] = costs[to];
      table.paths[size_t(from) * n + to] = std::move(paths[to]);
    }
  }
  return table;
}

PathTable RankTopology::cheapestPaths(const std::vector<double> &prices) const {
  return cheapestPaths(prices, firstNumbers(numRanks()));
}

PathTable RankTopology::cheapestPaths(const std::vector<double> &prices,
                                      const std::vector<int> &sources) const {
  return relays_.empty() ? directPaths(prices, sources) : relayedPaths(prices);
}

PathTable RankTopology::cheapestPaths(const std::vector<double> &prices,
                                      int source,
                                      const std::vector<bool> &wanted) const {
  return directPaths(prices, {source}, &wanted);
}
