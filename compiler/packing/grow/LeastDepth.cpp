//===- LeastDepth.cpp - lower bound on the depth of trees -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/LeastDepth.h"

#include <algorithm>

using namespace blink;

int blink::leastDepth(const PackingProblem &problem, const GrowRequest &request,
                      const std::vector<int> &room) {
  const RankTopology &machine = *problem.rankTopology;
  const std::vector<Link> &links = machine.topology().links;
  const bool up = hasUpTrees(problem.collective);
  // The edges to children for which the links of each node have room.
  std::vector<int64_t> edges(machine.topology().nodes.size(), 0);
  for (size_t link = 0; link < links.size(); ++link)
    if (machine.usable(static_cast<int>(link)))
      edges[up ? links[link].to : links[link].from] += room[link];
  int64_t children = 0; // the most of a rank in a tree
  for (int rank = 0; rank < machine.numRanks(); ++rank)
    children = std::max(children, edges[machine.nodeOf(rank)]);
  children = std::min<int64_t>(children, request.mostChildren);
  int64_t level =
      std::min(children, edges[machine.nodeOf(problem.root)] -
                             (request.copies - 1)); // most ranks at depth + 1
  int depth = 0;
  for (int64_t reached = 1; reached < machine.numRanks(); ++depth) {
    if (level <= 0)
      return machine.numRanks();
    reached += level;
    level = std::min<int64_t>(level * children, machine.numRanks());
  }
  return depth;
}
