//===- Boxes.cpp - the ranks of a job, box by box -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/Boxes.h"

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
