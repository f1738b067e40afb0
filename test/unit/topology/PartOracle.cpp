//===- PartOracle.cpp - allocations compared by definition ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/unit/topology/PartOracle.h"

#include "test/unit/topology/TestTopology.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

using namespace blink;
using namespace blink::test;

PartOracle::PartOracle(const Topology &topology, LinkKindSet kinds,
                       std::vector<int> gpus)
    : rankTopology_(rankTopologyOf(topology, std::move(gpus), kinds)) {
  int n = rankTopology_.numRanks();
  for (int from = 0; from < n; ++from)
    for (int to = 0; to < n; ++to)
      if (from != to)
        for (int link : linksBetween(from, to))
          links_.insert(link);
  for (int rank = 0; rank < n; ++rank)
    nodes_.push_back(rankTopology_.nodeOf(rank));
  std::set<int> relays;
  for (int link : links_)
    for (int end : {topology.links[link].from, topology.links[link].to})
      if (topology.nodes[end].kind != NodeKind::gpu)
        relays.insert(end);
  nodes_.insert(nodes_.end(), relays.begin(), relays.end());
  for (int from = 0; from < n; ++from)
    for (int to = 0; to < n; ++to)
      if (from != to)
        for (const Path &way : ways(from, to, links_))
          if (auto kind = rankTopology_.classify(from, to, way); !kind) {
            llvm::consumeError(kind.takeError());
            barred_.insert(
                {rankTopology_.nodeOf(from), rankTopology_.nodeOf(to)});
          }
  for (int a : nodes_) {
    matrix_.emplace_back();
    for (int b : nodes_)
      matrix_.back().push_back(a == b ? look(a) : between(a, b));
  }
}

std::vector<Path> PartOracle::ways(int from, int to,
                                   const std::set<int> &links) const {
  const Topology &topology = rankTopology_.topology();
  std::vector<Path> found;
  Path path;
  // The node, whether links of other kinds than nvlink, xgmi, c2c came before,
  // and whether a cpu or nic did. After a cpu or nic, the kinds of links no
  // longer matter.
  std::set<std::tuple<int, bool, bool>> visited;
  std::function<void(int, bool, bool)> walk = [&](int node, bool foreign,
                                                  bool bridged) {
    for (int index : links) {
      const Link &link = topology.links[index];
      if (link.from != node || !rankTopology_.usable(index))
        continue;
      NodeKind kind = topology.nodes[link.to].kind;
      path.push_back(index);
      if (link.to == rankTopology_.nodeOf(to)) {
        found.push_back(path);
      } else if (kind != NodeKind::gpu) {
        bool over = bridged || kind == NodeKind::cpu || kind == NodeKind::nic;
        bool other = !over && (foreign || (link.kind != LinkKind::nvlink &&
                                           link.kind != LinkKind::xgmi &&
                                           link.kind != LinkKind::c2c));
        if (visited.insert({link.to, other, over}).second) {
          walk(link.to, other, over);
          visited.erase({link.to, other, over});
        }
      }
      path.pop_back();
    }
  };
  walk(rankTopology_.nodeOf(from), false, false);
  return found;
}

std::set<int> PartOracle::linksBetween(int from, int to) const {
  std::set<int> all, used;
  for (size_t link = 0; link < rankTopology_.topology().links.size(); ++link)
    all.insert(static_cast<int>(link));
  for (const Path &way : ways(from, to, all)) {
    if (auto kind = rankTopology_.classify(from, to, way))
      used.insert(way.begin(), way.end());
    else
      llvm::consumeError(kind.takeError());
  }
  return used;
}

std::string PartOracle::look(int node) const {
  const Node &it = rankTopology_.topology().nodes[node];
  return toString(it.kind).str() + (it.multicast ? " multicasts" : "") +
         (it.reduce ? " reduces" : "");
}

std::string PartOracle::between(int from, int to) const {
  std::multiset<std::string> wires;
  for (int index : links_) {
    const Link &link = rankTopology_.topology().links[index];
    if (link.from == from && link.to == to)
      wires.insert(toString(link.kind).str() + " " +
                   std::to_string(link.bandwidth) + " " +
                   std::to_string(link.latency));
  }
  std::string text = barred_.count({from, to}) ? "barred" : "";
  for (const std::string &wire : wires)
    text += "|" + wire;
  return text;
}

bool PartOracle::isEmbedding(const std::vector<int> &map,
                             const PartOracle &other) const {
  const Topology &topology = rankTopology_.topology();
  if (map.size() != topology.nodes.size() ||
      rankTopology_.numRanks() != other.rankTopology_.numRanks())
    return false;
  std::set<int> images, part(nodes_.begin(), nodes_.end());
  for (size_t node = 0; node < map.size(); ++node) {
    if ((map[node] >= 0) != (part.count(static_cast<int>(node)) == 1))
      return false;
    if (map[node] < 0)
      continue;
    if (map[node] >= static_cast<int>(map.size()) ||
        look(static_cast<int>(node)) != look(map[node]))
      return false;
    images.insert(map[node]);
  }
  // The map must be one-to-one and onto, GPUs included, since no other node
  // looks like a GPU.
  if (images != std::set<int>(other.nodes_.begin(), other.nodes_.end()) ||
      nodes_.size() != other.nodes_.size())
    return false;

  std::map<int, int> linkImages;
  std::set<int> found;
  for (int index : links_) {
    const Link &link = topology.links[index];
    for (int candidate : other.links_) {
      const Link &image = topology.links[candidate];
      if (image.from == map[link.from] && image.to == map[link.to] &&
          image.kind == link.kind && image.bandwidth == link.bandwidth &&
          image.latency == link.latency) {
        linkImages[index] = candidate;
        found.insert(candidate);
      }
    }
    if (!linkImages.count(index))
      return false;
  }
  if (found != other.links_)
    return false;

  int n = rankTopology_.numRanks();
  auto rankAt = [&](int node) {
    for (int rank = 0; rank < n; ++rank)
      if (other.rankTopology_.nodeOf(rank) == node)
        return rank;
    return -1;
  };
  for (int from = 0; from < n; ++from)
    for (int to = 0; to < n; ++to) {
      if (from == to)
        continue;
      for (const Path &way : ways(from, to, links_)) {
        Path image;
        for (int link : way)
          image.push_back(linkImages[link]);
        auto kind = rankTopology_.classify(from, to, way);
        auto imageKind = other.rankTopology_.classify(
            rankAt(map[rankTopology_.nodeOf(from)]),
            rankAt(map[rankTopology_.nodeOf(to)]), image);
        bool same =
            bool(kind) == bool(imageKind) && (!kind || *kind == *imageKind);
        if (!kind)
          llvm::consumeError(kind.takeError());
        if (!imageKind)
          llvm::consumeError(imageKind.takeError());
        if (!same)
          return false;
      }
    }
  return true;
}

bool PartOracle::isAlike(const PartOracle &other, int from, int to) const {
  std::vector<int> images;
  return nodes_.size() == other.nodes_.size() &&
         rankTopology_.numRanks() == other.rankTopology_.numRanks() &&
         extend(other, images, from, to);
}

bool PartOracle::extend(const PartOracle &other, std::vector<int> &images,
                        int from, int to) const {
  int at = static_cast<int>(images.size());
  if (at == static_cast<int>(nodes_.size()))
    return true;
  for (int image = 0; image < static_cast<int>(nodes_.size()); ++image) {
    if (std::find(images.begin(), images.end(), image) != images.end() ||
        (at == from && image != to))
      continue;
    images.push_back(image);
    bool fits = true;
    for (int before = 0; before <= at && fits; ++before)
      fits = matrix_[at][before] == other.matrix_[image][images[before]] &&
             matrix_[before][at] == other.matrix_[images[before]][image];
    if (fits && extend(other, images, from, to))
      return true;
    images.pop_back();
  }
  return false;
}
