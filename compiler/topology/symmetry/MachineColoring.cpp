//===- MachineColoring.cpp - a job's machine as a coloured graph ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/symmetry/MachineColoring.h"

#include "compiler/topology/symmetry/NodeColors.h"

#include <algorithm>

using namespace blink;

MachineColoring::MachineColoring(const RankTopology &rankTopology) {
  const Topology &topology = rankTopology.topology();
  std::vector<bool> isRank(topology.nodes.size(), false), isRelay = isRank;
  const int numRanks = rankTopology.numRanks();
  for (int rank = 0; rank < numRanks; ++rank)
    isRank[rankTopology.nodeOf(rank)] = true;
  for (size_t relay = 0; relay < rankTopology.relays().size(); ++relay)
    isRelay[rankTopology.nodeOf(numRanks + static_cast<int>(relay))] = true;
  const std::vector<int> nodeColorOf = numberDistinct(nodeProperties(topology));
  std::vector<std::tuple<int, bool, bool>> roles;
  for (size_t node = 0; node < nodeColorOf.size(); ++node)
    roles.emplace_back(nodeColorOf[node], isRank[node], isRelay[node]);
  colors = numberDistinct(roles);

  const std::vector<int> linkColorOf = numberDistinct(linkProperties(topology));
  graph.arcs.resize(topology.nodes.size());
  for (size_t index = 0; index < topology.links.size(); ++index) {
    const Link &link = topology.links[index];
    const uint64_t color = linkColorOf[index];
    graph.arcs[link.from].push_back({link.to, 2 * color});
    graph.arcs[link.to].push_back({link.from, 2 * color + 1});
  }
}

std::vector<int> blink::classesAround(const RankTopology &rankTopology,
                                      int fixed) {
  const MachineColoring machine(rankTopology);
  TwinColoring coloring(machine.graph, machine.colors);
  const int root = rankTopology.nodeOf(fixed);
  coloring.require({{root, root}});
  std::vector<bool> seen(machine.colors.size(), false);
  seen[root] = true;
  std::vector<int> representatives;
  for (int rank = 0; rank < rankTopology.numRanks(); ++rank) {
    if (seen[rankTopology.nodeOf(rank)])
      continue;
    representatives.push_back(rank);
    for (int node : coloring.candidates(rankTopology.nodeOf(rank)))
      seen[node] = true;
  }
  return representatives;
}
