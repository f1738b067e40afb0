//===- SwitchStars.cpp - switches that reduce or multicast ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/fabric/SwitchStars.h"

#include "llvm/ADT/STLExtras.h"

using namespace blink;

std::vector<SwitchStar> blink::switchStars(const RankTopology &rankTopology) {
  const int numRanks = rankTopology.numRanks();
  const Topology &topology = rankTopology.topology();
  if (numRanks < 2 || !rankTopology.relays().empty() ||
      rankTopology.isLimited() || rankTopology.isPhased())
    return {};
  std::vector<int> rankOf(topology.nodes.size(), -1);
  for (int rank = 0; rank < numRanks; ++rank)
    rankOf[rankTopology.nodeOf(rank)] = rank;

  std::vector<SwitchStar> stars;
  for (int node = 0; node < int(topology.nodes.size()); ++node) {
    const Node &of = topology.nodes[node];
    if (!of.reduce && !of.multicast)
      continue;
    SwitchStar star{node, of.reduce, of.multicast,
                    std::vector<int>(numRanks, -1),
                    std::vector<int>(numRanks, -1)};
    for (int index = 0; index < int(topology.links.size()); ++index) {
      const Link &link = topology.links[index];
      if (!rankTopology.usable(index) || !isPeerLink(link.kind))
        continue;
      if (link.to == node && rankOf[link.from] >= 0)
        star.toSwitch[rankOf[link.from]] = index;
      if (link.from == node && rankOf[link.to] >= 0)
        star.fromSwitch[rankOf[link.to]] = index;
    }
    if (!llvm::is_contained(star.toSwitch, -1) &&
        !llvm::is_contained(star.fromSwitch, -1))
      stars.push_back(std::move(star));
  }
  return stars;
}
