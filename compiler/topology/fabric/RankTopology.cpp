//===- RankTopology.cpp - a machine as an allocation sees it --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Allocation, peer groups and the rules of drivable paths. The search for the
// cheapest paths is in CheapestPaths.cpp. It shares no code with classify(),
// which judges a path independently.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/fabric/RankTopology.h"
#include "compiler/support/Error.h"
#include "compiler/support/Numbers.h"
#include "compiler/topology/fabric/PathLayers.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <cmath>

using namespace blink;

bool blink::isPeerLink(LinkKind kind) {
  return kind == LinkKind::nvlink || kind == LinkKind::xgmi ||
         kind == LinkKind::c2c;
}

/// Returns the peer groups of each node, ascending (see RankTopology.h).
static std::vector<std::vector<int>> findPeerGroups(const Topology &topology) {
  const std::vector<Node> &nodes = topology.nodes;
  int numNodes = static_cast<int>(nodes.size());
  auto isSwitch = [&](int node) {
    return nodes[node].kind == NodeKind::switch_;
  };
  auto isGpu = [&](int node) { return nodes[node].kind == NodeKind::gpu; };

  llvm::EquivalenceClasses<int> switches;
  for (const Link &link : topology.links)
    if (isPeerLink(link.kind) && isSwitch(link.from) && isSwitch(link.to))
      switches.unionSets(link.from, link.to);

  // The number of a group is the leader's node for a set of switches, and
  // numNodes plus the link's index for a direct link.
  std::vector<std::vector<int>> groups(nodes.size());
  for (size_t i = 0; i < topology.links.size(); ++i) {
    const Link &link = topology.links[i];
    if (!isPeerLink(link.kind))
      continue;
    for (auto [end, other] :
         {std::pair(link.from, link.to), std::pair(link.to, link.from)}) {
      if (!isGpu(end))
        continue;
      if (isGpu(other))
        groups[end].push_back(numNodes + static_cast<int>(i));
      else if (isSwitch(other))
        groups[end].push_back(switches.getOrInsertLeaderValue(other));
    }
  }
  for (std::vector<int> &group : groups) {
    std::sort(group.begin(), group.end());
    group.erase(std::unique(group.begin(), group.end()), group.end());
  }
  return groups;
}

llvm::Expected<RankTopology> RankTopology::create(Topology topology,
                                                  std::vector<int> gpus,
                                                  LinkKindSet kinds,
                                                  std::vector<int> relays) {
  if (llvm::Error error = topology.check())
    return error;

  RankTopology rankTopology;
  rankTopology.gpuNodes_ = topology.gpus();
  int numGpus = static_cast<int>(rankTopology.gpuNodes_.size());
  if (numGpus == 0)
    return makeError("topology '" + topology.name +
                     "' has no gpu node; a job needs at least one GPU");
  if (gpus.empty())
    gpus = firstNumbers(numGpus);
  const int most = relays.empty() ? kMaxRanks : kMostPaired;
  if (gpus.size() + relays.size() > size_t(most))
    return makeError("an allocation of " +
                     llvm::Twine(gpus.size() + relays.size()) +
                     (relays.empty() ? " GPUs" : " GPUs and relays") +
                     "; the most is " + llvm::Twine(most));

  rankTopology.rankOfNode_.assign(topology.nodes.size(), -1);
  std::vector<int> all = gpus;
  all.insert(all.end(), relays.begin(), relays.end());
  for (size_t rank = 0; rank < all.size(); ++rank) {
    int gpu = all[rank];
    if (gpu < 0 || gpu >= numGpus)
      return makeError("GPU " + llvm::Twine(gpu) + " does not exist: '" +
                       topology.name + "' has GPUs 0 to " +
                       llvm::Twine(numGpus - 1));
    int &rankOfNode = rankTopology.rankOfNode_[rankTopology.gpuNodes_[gpu]];
    if (rankOfNode != -1)
      return makeError("GPU " + llvm::Twine(gpu) +
                       " is listed twice; each rank needs its own GPU");
    rankOfNode = static_cast<int>(rank);
  }

  std::vector<std::vector<int>> groups = findPeerGroups(topology);
  for (size_t rank = 0; rank < all.size(); ++rank) {
    std::vector<int> &of = groups[rankTopology.gpuNodes_[all[rank]]];
    for (int group : of) {
      if (rankTopology.peerMembers_.size() <= size_t(group))
        rankTopology.peerMembers_.resize(size_t(group) + 1);
      rankTopology.peerMembers_[group].push_back(static_cast<int>(rank));
    }
    rankTopology.peerGroups_.push_back(std::move(of));
  }

  rankTopology.outLinks_.resize(topology.nodes.size());
  for (size_t i = 0; i < topology.links.size(); ++i)
    if (kinds.contains(topology.links[i].kind))
      rankTopology.outLinks_[topology.links[i].from].push_back(
          static_cast<int>(i));

  rankTopology.topology_ = std::move(topology);
  rankTopology.gpus_ = std::move(gpus);
  rankTopology.relays_ = std::move(relays);
  rankTopology.kinds_ = kinds;
  return rankTopology;
}

RankTopology
RankTopology::withPairs(std::vector<std::vector<int>> reached) const {
  RankTopology limited = *this;
  limited.pairs_ = std::move(reached);
  return limited;
}

RankTopology RankTopology::withForwarding() const {
  RankTopology forwarding = *this;
  forwarding.forwards_ = true;
  return forwarding;
}

bool RankTopology::peerJoined(int rankA, int rankB) const {
  const std::vector<int> &a = peerGroups_[rankA];
  const std::vector<int> &b = peerGroups_[rankB];
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j)
      return true;
    *i < *j ? ++i : ++j;
  }
  return false;
}

llvm::Expected<ChannelKind> RankTopology::classify(int from, int to,
                                                   const Path &path) const {
  int all = numRanks() + static_cast<int>(relays_.size());
  for (int rank : {from, to})
    if (rank < 0 || rank >= all)
      return makeError("rank " + llvm::Twine(rank) + " of " + llvm::Twine(all) +
                       " does not exist");
  if (from == to)
    return makeError("a path from rank " + llvm::Twine(from) + " to itself");
  if (path.empty())
    return makeError("an empty path from rank " + llvm::Twine(from) +
                     " to rank " + llvm::Twine(to));

  bool crossesCpu = false, crossesNic = false;
  int firstOther = -1; // the first link that is not a peer link
  int node = nodeOf(from);
  for (size_t hop = 0; hop < path.size(); ++hop) {
    int index = path[hop];
    std::string place = "hop " + std::to_string(hop) + " of a path from rank " +
                        std::to_string(from) + " to rank " +
                        std::to_string(to) + ": ";
    if (index < 0 || index >= static_cast<int>(topology_.links.size()))
      return makeError(place + "link " + llvm::Twine(index) + " of " +
                       llvm::Twine(topology_.links.size()) + " does not exist");
    const Link &link = topology_.links[index];
    if (!usable(index))
      return makeError(place + "link " + llvm::Twine(index) + " is " +
                       toString(link.kind) + ", the schedule may use " +
                       toString(kinds_) + " only");
    if (link.from != node)
      return makeError(place + "link " + llvm::Twine(index) + " starts at '" +
                       topology_.nodes[link.from].id +
                       "', the path stands at '" + topology_.nodes[node].id +
                       "'");
    if (hop > 0) {
      NodeKind kind = topology_.nodes[node].kind;
      if (kind == NodeKind::gpu)
        return makeError(place + "goes through GPU '" +
                         topology_.nodes[node].id + "', GPUs never relay");
      crossesCpu |= kind == NodeKind::cpu;
      crossesNic |= kind == NodeKind::nic;
    }
    if (!isPeerLink(link.kind) && firstOther == -1)
      firstOther = index;
    node = link.to;
  }
  if (node != nodeOf(to))
    return makeError("a path from rank " + llvm::Twine(from) + " to rank " +
                     llvm::Twine(to) + " ends at '" + topology_.nodes[node].id +
                     "' instead of '" + topology_.nodes[nodeOf(to)].id + "'");

  if (crossesNic)
    return ChannelKind::network;
  if (crossesCpu)
    return ChannelKind::staged;
  if (firstOther != -1 && peerJoined(from, to))
    return makeError("a path from rank " + llvm::Twine(from) + " to rank " +
                     llvm::Twine(to) + " uses " +
                     toString(topology_.links[firstOther].kind) + " link " +
                     llvm::Twine(firstOther) +
                     ", but the two GPUs reach each other over their own "
                     "fabric alone; cross a cpu or nic node");
  return ChannelKind::peer;
}

llvm::Expected<std::vector<RankTopology::Segment>>
RankTopology::segments(int from, int to, const Path &path) const {
  std::vector<Segment> segments;
  Segment segment{from, to, {}, ChannelKind::peer};
  auto finish = [&]() -> llvm::Error {
    llvm::Expected<ChannelKind> kind =
        classify(segment.from, segment.to, segment.path);
    if (!kind)
      return kind.takeError();
    segment.kind = *kind;
    segments.push_back(segment);
    return llvm::Error::success();
  };
  for (size_t hop = 0; hop < path.size(); ++hop) {
    segment.path.push_back(path[hop]);
    bool known =
        path[hop] >= 0 && path[hop] < static_cast<int>(topology_.links.size());
    int rank = known ? rankOfNode_[topology_.links[path[hop]].to] : -1;
    if (rank < (forwards_ ? 0 : numRanks()) || hop + 1 == path.size())
      continue; // no rank or relay that forwards, or the end of the path
    segment.to = rank;
    if (llvm::Error error = finish())
      return error;
    segment = {rank, to, {}, ChannelKind::peer};
  }
  if (llvm::Error error = finish())
    return error;
  return segments;
}

std::vector<bool>
RankTopology::closure(const std::vector<std::vector<int>> &reached, int start,
                      bool backwards) {
  std::vector<std::vector<int>> turned;
  if (backwards) {
    turned.resize(reached.size());
    for (size_t from = 0; from < reached.size(); ++from)
      for (int to : reached[from])
        turned[to].push_back(static_cast<int>(from));
  }
  std::vector<bool> seen(reached.size(), false);
  std::vector<int> work{start};
  seen[start] = true;
  while (!work.empty()) {
    const int at = work.back();
    work.pop_back();
    for (int next : (backwards ? turned : reached)[at])
      if (!seen[next]) {
        seen[next] = true;
        work.push_back(next);
      }
  }
  return seen;
}

/// Returns true if all ranks reach each other by paths that may end at any
/// rank, whatever rank they started at. One search then stands for the searches
/// from all ranks. If the result is false, the ranks may be connected
/// nevertheless.
bool RankTopology::surelyConnected() const {
  if (!relays_.empty() || isLimited() || isPhased())
    return false;
  // States: the ranks, then the transit nodes in each layer.
  const auto n = size_t(numRanks());
  std::vector<std::vector<int>> next(n +
                                     topology_.nodes.size() * numPathLayers);
  const auto join = [&](size_t state, PathLayer layer, int index) {
    const Link &link = topology_.links[index];
    const PathLayer after = nextLayer(topology_, layer, link);
    if (topology_.nodes[link.to].kind != NodeKind::gpu) {
      next[state].push_back(int(n) + link.to * numPathLayers + after);
      return;
    }
    // A rank with peer groups is not counted as reached in layer `pcie`: the
    // path may have started at a GPU that is peer-joined with it.
    const int rank = rankOfNode_[link.to];
    if (rank >= 0 && (after != pcieLayer || peerGroups_[rank].empty()))
      next[state].push_back(rank);
  };
  for (size_t rank = 0; rank < n; ++rank)
    for (int link : outLinks_[nodeOf(int(rank))])
      join(rank, peerLayer, link);
  for (size_t node = 0; node < topology_.nodes.size(); ++node)
    if (topology_.nodes[node].kind != NodeKind::gpu)
      for (PathLayer layer : kPathLayers)
        for (int link : outLinks_[node])
          join(n + node * numPathLayers + layer, layer, link);
  for (bool backwards : {false, true}) {
    const std::vector<bool> seen = closure(next, 0, backwards);
    if (std::find(seen.begin(), seen.begin() + long(n), false) !=
        seen.begin() + long(n))
      return false;
  }
  return true;
}

std::vector<std::vector<int>> RankTopology::stronglyConnectedRanks() const {
  const int n = numRanks();
  if (surelyConnected())
    return {firstNumbers(size_t(n))};
  const std::vector<std::vector<int>> reached = reachedRanks();
  std::vector<std::vector<int>> classes;
  std::vector<bool> done(n, false);
  for (int rank = 0; rank < n; ++rank) {
    if (done[rank])
      continue;
    const std::vector<bool> to = closure(reached, rank, /*backwards=*/false);
    const std::vector<bool> from = closure(reached, rank, /*backwards=*/true);
    std::vector<int> &members = classes.emplace_back();
    for (int other = rank; other < n; ++other)
      if (to[other] && from[other]) {
        members.push_back(other);
        done[other] = true;
      }
  }
  return classes;
}

std::string RankTopology::describeRanks(const std::vector<int> &ranks) const {
  auto gpuOf = [&](int rank) { return gpus_[rank]; };
  return (ranks.size() == 1 ? "GPU " : "GPUs ") +
         joinNumbers(llvm::map_to_vector(ranks, gpuOf));
}
