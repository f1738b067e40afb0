//===- Boxes.cpp - the ranks of a job, box by box -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/Boxes.h"

#include <algorithm>

using namespace blink;

std::vector<std::vector<int>>
blink::equalBoxes(const RankTopology &rankTopology) {
  if (rankTopology.isPhased() || !rankTopology.relays().empty())
    return {};
  const RankTopology phased = rankTopology.withPhases();
  std::vector<std::vector<int>> boxes(size_t(phased.numServers()));
  for (int rank = 0; rank < rankTopology.numRanks(); ++rank)
    boxes[phased.serverOf()[rank]].push_back(rank);
  for (const std::vector<int> &box : boxes)
    if (box.size() != boxes.front().size())
      return {};
  if (boxes.size() < 2)
    return {};
  return boxes;
}

llvm::Expected<RankTopology>
blink::withAllPairs(const RankTopology &rankTopology) {
  return RankTopology::create(rankTopology.topology(), rankTopology.gpus(),
                              rankTopology.linkKinds());
}

llvm::Expected<LoneBox> blink::boxAlone(const RankTopology &rankTopology,
                                        const std::vector<int> &ranks) {
  const Topology &whole = rankTopology.topology();
  auto isInBox = [&](int node) {
    return whole.nodes[size_t(node)].kind != NodeKind::nic;
  };
  std::vector<std::vector<int>> joined(whole.nodes.size());
  for (const Link &link : whole.links)
    if (link.kind != LinkKind::network && isInBox(link.from) &&
        isInBox(link.to)) {
      joined[size_t(link.from)].push_back(link.to);
      joined[size_t(link.to)].push_back(link.from);
    }
  std::vector<int> nodes; // of the box
  std::vector<int> newIndex(whole.nodes.size(), -1);
  auto add = [&](int node) {
    if (newIndex[size_t(node)] >= 0)
      return;
    newIndex[size_t(node)] = 0;
    nodes.push_back(node);
  };
  for (int rank : ranks)
    add(rankTopology.nodeOf(rank));
  for (size_t next = 0; next < nodes.size(); ++next)
    for (int node : joined[size_t(nodes[next])])
      add(node);
  std::sort(nodes.begin(), nodes.end());

  Topology box;
  box.name = whole.name;
  std::vector<int> gpuOf(whole.nodes.size(), -1);
  int gpus = 0;
  for (int node : nodes) {
    newIndex[size_t(node)] = int(box.nodes.size());
    box.nodes.push_back(whole.nodes[size_t(node)]);
    if (box.nodes.back().kind == NodeKind::gpu)
      gpuOf[size_t(node)] = gpus++;
  }
  std::vector<int> links;
  for (size_t index = 0; index < whole.links.size(); ++index) {
    Link link = whole.links[index];
    link.from = newIndex[size_t(link.from)];
    link.to = newIndex[size_t(link.to)];
    if (link.kind == LinkKind::network || link.from < 0 || link.to < 0)
      continue;
    box.links.push_back(link);
    links.push_back(int(index));
  }
  std::vector<int> ofRanks;
  for (int rank : ranks)
    ofRanks.push_back(gpuOf[size_t(rankTopology.nodeOf(rank))]);
  llvm::Expected<RankTopology> machine = RankTopology::create(
      std::move(box), std::move(ofRanks), rankTopology.linkKinds());
  if (!machine)
    return machine.takeError();
  return LoneBox{std::move(*machine), std::move(links)};
}
