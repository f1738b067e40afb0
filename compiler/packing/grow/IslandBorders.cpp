//===- IslandBorders.cpp - the ways out of and into an island -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/IslandBorders.h"

#include "compiler/packing/grow/RootedTree.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace blink;

IslandBorders::IslandBorders(const PackingProblem &problem,
                             const Islands &islands, const PathTable &table)
    : problem_(problem), islands_(islands), table_(table),
      up_(hasUpTrees(problem.collective)) {
  const int numRanks = problem.rankTopology->numRanks();
  exits_.resize(numRanks);
  entries_.resize(numRanks);
  std::vector<std::pair<int, int>> joined;
  for (int parent = 0; parent < numRanks; ++parent)
    for (int child = 0; child < numRanks; ++child) {
      if (islandOf(parent) == islandOf(child) ||
          pathOf(table_, up_, parent, child).empty())
        continue;
      Sections sections = divide(parent, child);
      if (sections.out < 0)
        continue;
      const std::pair<int, int> nodes{sections.out, sections.in};
      if (joined.empty() || joined.back() != nodes)
        joined.push_back(nodes);
      add(exits_[parent], std::move(sections.exit), sections.out);
      add(entries_[child], std::move(sections.entry), sections.in);
    }
  findGroups(joined);
}

/// Divides the path between two ranks of different islands at the borders.
/// There are no sections if the islands are joined without a node between them.
IslandBorders::Sections IslandBorders::divide(int parent, int child) const {
  const Path &path = pathOf(table_, up_, parent, child);
  const std::vector<Link> &links = problem_.rankTopology->topology().links;
  const int length = static_cast<int>(path.size());
  // The path from the parent on, whatever the direction of data.
  auto link = [&](int at) { return path[up_ ? length - 1 - at : at]; };
  auto end = [&](int at) {
    return up_ ? links[link(at)].from : links[link(at)].to;
  };
  int left = 1;
  while (islands_.ofNode[end(left - 1)] == islandOf(parent))
    ++left;
  int entered = length - 1;
  while (entered > 0 && islands_.ofNode[end(entered - 1)] == islandOf(child))
    --entered;
  Sections sections;
  if (entered < left)
    return sections;
  for (int at = 0; at < length; ++at)
    (at < left       ? sections.exit
     : at >= entered ? sections.entry
                     : sections.between)
        .push_back(link(at));
  sections.out = end(left - 1);
  sections.in = end(entered - 1);
  if (up_)
    for (Path *part : {&sections.exit, &sections.between, &sections.entry})
      std::reverse(part->begin(), part->end());
  return sections;
}

void IslandBorders::add(std::vector<Crossing> &crossings, Path links,
                        int node) {
  if (llvm::none_of(crossings, [&](const Crossing &known) {
        return known.node == node && known.links == links;
      }))
    crossings.push_back({std::move(links), node, -1});
}

void IslandBorders::findGroups(const std::vector<std::pair<int, int>> &joined) {
  llvm::IntEqClasses nodes(static_cast<unsigned>(islands_.ofNode.size()));
  for (auto [out, in] : joined)
    nodes.join(unsigned(out), unsigned(in));
  nodes.compress();
  numGroups_ = static_cast<int>(nodes.getNumClasses());
  for (auto *ofRanks : {&exits_, &entries_})
    for (std::vector<Crossing> &crossings : *ofRanks)
      for (Crossing &crossing : crossings)
        crossing.group = static_cast<int>(nodes[unsigned(crossing.node)]);
}

Path IslandBorders::pathBetween(int parent, const Crossing &exit, int child,
                                const Crossing &entry) const {
  const RankTopology &machine = *problem_.rankTopology;
  const Path &usual = pathOf(table_, up_, parent, child);
  if (islandOf(parent) != islandOf(child)) {
    if (usual.empty())
      return {};
    const Sections sections = divide(parent, child);
    if (sections.exit == exit.links && sections.entry == entry.links)
      return usual;
  }
  if (exit.node != entry.node || machine.isLimited())
    return {};
  Path path = up_ ? entry.links : exit.links;
  const Path &rest = up_ ? exit.links : entry.links;
  path.insert(path.end(), rest.begin(), rest.end());
  const int from = up_ ? child : parent, to = up_ ? parent : child;
  auto parts = machine.segments(from, to, path);
  if (parts)
    return path;
  llvm::consumeError(parts.takeError());
  return {};
}
