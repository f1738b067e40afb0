//===- SingleFailures.cpp - failures of one link or GPU -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/SingleFailures.h"

#include "compiler/support/Error.h"
#include "compiler/topology/AllocationList.h"
#include "compiler/topology/fabric/DrivableLinks.h"

#include <algorithm>
#include <set>

using namespace blink;

static NodePair pairOf(const Link &link) {
  return std::minmax(link.from, link.to);
}

std::string blink::endsOf(const Topology &topology, NodePair pair) {
  return topology.nodes[pair.first].id + ":" + topology.nodes[pair.second].id;
}

std::vector<NodePair> blink::linkedPairs(const Topology &topology) {
  std::set<NodePair> pairs;
  for (const Link &link : topology.links)
    pairs.insert(pairOf(link));
  return {pairs.begin(), pairs.end()};
}

llvm::Expected<std::vector<std::vector<NodePair>>>
blink::pairsThatMatter(const Topology &topology, LinkKindSet kinds,
                       const std::vector<std::vector<int>> &allocations) {
  llvm::Expected<RankTopology> machine =
      RankTopology::create(topology, {}, kinds);
  if (!machine)
    return machine.takeError();
  if (machine->numRanks() > RankTopology::kMostPaired)
    return makeError("a machine of {0} GPUs; allocations are told apart on "
                     "machines of up to {1}",
                     machine->numRanks(), RankTopology::kMostPaired);
  DrivableLinks drivable(*machine);
  std::vector<std::vector<NodePair>> result;
  for (const std::vector<int> &gpus : allocations) {
    std::set<NodePair> pairs;
    for (int link : drivable.among(gpus))
      pairs.insert(pairOf(topology.links[link]));
    result.emplace_back(pairs.begin(), pairs.end());
  }
  return result;
}

std::vector<std::vector<int>>
blink::withLostGpus(std::vector<std::vector<int>> allocations) {
  std::set<std::vector<int>, decltype(&isSmallerSet)> all(isSmallerSet);
  for (std::vector<int> &gpus : allocations) {
    std::sort(gpus.begin(), gpus.end());
    for (size_t lost = 0; gpus.size() > 2 && lost < gpus.size(); ++lost) {
      std::vector<int> left = gpus;
      left.erase(left.begin() + static_cast<ptrdiff_t>(lost));
      all.insert(std::move(left));
    }
    all.insert(std::move(gpus));
  }
  return {all.begin(), all.end()};
}
