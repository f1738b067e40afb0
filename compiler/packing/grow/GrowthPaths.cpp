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
  return spreadPaths(rankTopology, prices,
                     firstNumbers(rankTopology.numRanks()),
                     [](int) { return 1; });
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
