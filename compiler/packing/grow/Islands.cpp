//===- Islands.cpp - ranks that fast links join ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/Islands.h"

#include "compiler/support/Numbers.h"

#include "llvm/Support/ErrorHandling.h"

#include <algorithm>

using namespace blink;

Islands::Islands(const RankTopology &rankTopology, JoinedBy joinedBy)
    : ofNode(rankTopology.topology().nodes.size(), -1),
      areOfSwitches(joinedBy == JoinedBy::firstSwitches) {
  const Topology &topology = rankTopology.topology();
  auto isGpu = [&](int node) {
    return topology.nodes[node].kind == NodeKind::gpu;
  };
  auto joins = [&](const Link &link) {
    switch (joinedBy) {
    case JoinedBy::peerLinks:
      return isPeerLink(link.kind);
    case JoinedBy::allButNetwork:
      return link.kind != LinkKind::network;
    case JoinedBy::firstSwitches:
      return isGpu(link.from) != isGpu(link.to);
    }
    llvm_unreachable("a way to be joined");
  };
  std::vector<bool> mayJoin;
  for (int node = 0; node < static_cast<int>(topology.nodes.size()); ++node)
    mayJoin.push_back(!isGpu(node));
  for (int rank = 0; rank < rankTopology.numRanks(); ++rank)
    mayJoin[rankTopology.nodeOf(rank)] = true;
  std::vector<std::vector<int>> neighbours(topology.nodes.size());
  for (size_t index = 0; index < topology.links.size(); ++index) {
    const Link &link = topology.links[index];
    if (!rankTopology.usable(static_cast<int>(index)) || !joins(link) ||
        !mayJoin[link.from] || !mayJoin[link.to])
      continue;
    neighbours[link.from].push_back(link.to);
    neighbours[link.to].push_back(link.from);
  }
  for (int rank = 0; rank < rankTopology.numRanks(); ++rank) {
    if (ofNode[rankTopology.nodeOf(rank)] >= 0) {
      areOfSeveral = true;
      continue;
    }
    std::vector<int> work{rankTopology.nodeOf(rank)};
    ofNode[work.front()] = count;
    for (size_t next = 0; next < work.size(); ++next)
      for (int node : neighbours[work[next]])
        if (ofNode[node] < 0) {
          ofNode[node] = count;
          work.push_back(node);
        }
    ++count;
  }
}

Islands Islands::without(const RankTopology &rankTopology, int island) const {
  Islands islands = *this;
  bool isFirst = true;
  for (int &node : islands.ofNode)
    if (node == island)
      node = -1;
  for (int rank = 0; rank < rankTopology.numRanks(); ++rank)
    if (int &own = islands.ofNode[rankTopology.nodeOf(rank)]; own < 0) {
      own = isFirst ? island : islands.count++;
      isFirst = false;
    }
  return islands;
}

std::vector<Islands> blink::islandsOf(const RankTopology &rankTopology) {
  const Islands boxes(rankTopology, Islands::JoinedBy::allButNetwork);
  const Islands peers(rankTopology, Islands::JoinedBy::peerLinks);
  std::vector<Islands> islands;
  if (boxes.divide() && boxes.count < peers.count)
    islands.push_back(boxes);
  if (peers.divide())
    islands.push_back(peers);
  if (islands.empty() && rankTopology.numRanks() > kMostExactly)
    if (Islands leaves(rankTopology, Islands::JoinedBy::firstSwitches);
        leaves.divide())
      islands.push_back(std::move(leaves));
  return islands;
}

/// Returns classes of nodes: each island is one class, and so is each other
/// node.
static std::vector<int> amongIslands(const Islands &islands) {
  std::vector<int> classes = islands.ofNode;
  int next = islands.count;
  for (int &node : classes)
    if (node < 0)
      node = next++;
  return classes;
}

std::vector<int> blink::withinIsland(const Islands &islands, int island,
                                     int others) {
  std::vector<int> classes(islands.ofNode.size(), others);
  int next = others + 1;
  for (size_t node = 0; node < classes.size(); ++node)
    if (islands.ofNode[node] == island)
      classes[node] = next++;
  return classes;
}

IslandCompletion::IslandCompletion(const PackingProblem &problem,
                                   const Islands &islands,
                                   const std::vector<int> &room, int trees)
    : problem_(problem), islands_(islands), room_(room) {
  parts_.emplace_back(problem, room, trees, amongIslands(islands));
  for (size_t link = 0; link < room_.size(); ++link)
    room_[link] = parts_.front().room(static_cast<int>(link));
  for (int island = 0; island < islands.count; ++island)
    parts_.emplace_back(problem, room_, trees,
                        withinIsland(islands, island, 0));
}

bool IslandCompletion::begin() {
  return std::all_of(parts_.begin(), parts_.end(),
                     [](Completion &part) { return part.begin(); });
}

/// Returns the indices of the parts that an edge to `rank` affects, small parts
/// first.
std::vector<size_t> IslandCompletion::concerned(int rank,
                                                const Path &path) const {
  if (islands_.count == 0)
    return {0};
  const int own = islands_.ofNode[problem_.rankTopology->nodeOf(rank)];
  std::vector<size_t> parts{1 + static_cast<size_t>(own)};
  bool leaves = false;
  for (int link : path) {
    const Link &ends = problem_.rankTopology->topology().links[link];
    for (int node : {ends.from, ends.to}) {
      const int island = islands_.ofNode[node];
      leaves |= island != own;
      if (island >= 0 && island != own &&
          parts.back() != 1 + static_cast<size_t>(island))
        parts.push_back(1 + static_cast<size_t>(island));
    }
  }
  if (leaves)
    parts.push_back(0);
  return parts;
}

bool IslandCompletion::take(int tree, int rank, const Path &path) {
  const std::vector<size_t> asked = concerned(rank, path);
  for (size_t at = 0; at < asked.size(); ++at) {
    if (parts_[asked[at]].take(tree, rank, path))
      continue;
    while (at-- > 0)
      parts_[asked[at]].takeBack();
    return false;
  }
  for (int link : path)
    --room_[link];
  return true;
}
