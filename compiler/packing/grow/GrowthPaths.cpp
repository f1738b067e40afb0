//===- GrowthPaths.cpp - the paths that trees grow along ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/GrowthPaths.h"

#include "compiler/support/Numbers.h"
#include "compiler/topology/fabric/SpreadPaths.h"

using namespace blink;

PathTable blink::pathsToGrow(const RankTopology &rankTopology,
                             llvm::function_ref<bool(int)> isFull) {
  const std::vector<Link> &links = rankTopology.topology().links;
  const double detour = double(links.size()); // longer than any path
  std::vector<double> prices;
  for (size_t link = 0; link < links.size(); ++link)
    prices.push_back((links[link].kind == LinkKind::network ? detour : 1) *
                     (isFull(static_cast<int>(link)) ? detour * detour : 1));
  // If all links from a rank are full, nothing would use its paths.
  std::vector<bool> hasRoom(rankTopology.topology().nodes.size(), false);
  for (size_t link = 0; link < links.size(); ++link)
    if (!isFull(static_cast<int>(link)))
      hasRoom[size_t(links[link].from)] = true;
  const std::vector<int> all = firstNumbers(rankTopology.numRanks());
  std::vector<int> sources;
  for (int rank : all)
    if (hasRoom[size_t(rankTopology.nodeOf(rank))])
      sources.push_back(rank);
  PathTable some =
      spreadPaths(rankTopology, prices, sources, [](int) { return 1; });
  if (sources.size() == all.size())
    return some;
  PathTable table = PathTable::from(all, rankTopology.numRanks());
  for (int from : sources)
    for (int to : all) {
      table.costs[table.place(from, to)] = some.cost(from, to);
      table.paths[table.place(from, to)] =
          std::move(some.paths[some.place(from, to)]);
    }
  return table;
}

bool GrowthPaths::goAround(const RankTopology &rankTopology,
                           llvm::function_ref<bool(int)> isFull) {
  constexpr int kMostDetours = 2;
  if (detours_ == kMostDetours)
    return false;
  ++detours_;
  detour_ = pathsToGrow(rankTopology, isFull);
  table_ = &detour_;
  return true;
}
