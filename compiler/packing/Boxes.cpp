//===- Boxes.cpp - the ranks of a job, box by box -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/Boxes.h"

#include "compiler/topology/symmetry/Cluster.h"

#include "llvm/ADT/STLExtras.h"

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
  const int first = rankTopology.nodeOf(ranks.front());
  std::vector<bool> kept(whole.nodes.size(), false);
  for (const Cluster::Box &box : Cluster::findBoxes(whole).boxes)
    if (llvm::is_contained(box.nodes, first))
      for (int node : box.nodes)
        kept[size_t(node)] = whole.nodes[size_t(node)].kind != NodeKind::nic;
  TopologyPart part = partOf(whole, kept);
  part.topology.name = whole.name;

  std::vector<int> gpus; // of the box, as nodes of the whole machine
  for (int node : whole.gpus())
    if (kept[size_t(node)])
      gpus.push_back(node);
  std::vector<int> ofRanks;
  for (int rank : ranks)
    ofRanks.push_back(
        int(llvm::find(gpus, rankTopology.nodeOf(rank)) - gpus.begin()));
  llvm::Expected<RankTopology> machine = RankTopology::create(
      std::move(part.topology), std::move(ofRanks), rankTopology.linkKinds());
  if (!machine)
    return machine.takeError();
  return LoneBox{std::move(*machine), std::move(part.links)};
}
