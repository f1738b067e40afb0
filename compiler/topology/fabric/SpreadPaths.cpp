//===- SpreadPaths.cpp - spreading equally cheap paths --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/fabric/SpreadPaths.h"

#include "compiler/support/Numbers.h"
#include "compiler/topology/fabric/FabricLinks.h"

#include <utility>

using namespace blink;

namespace {

/// The largest part of a link's price that is added to it to break ties.
constexpr double kTie = 1e-6;
/// The ratio up to which two costs count as equal despite rounding.
constexpr double kSame = 1 + 1e-12;

/// Returns a number from 0 to 1 that depends on source, way and link.
double tieOf(int from, int way, int link) {
  constexpr double kMost = 4294967296.0;
  return scrambled(uint32_t(way), uint32_t(from), uint32_t(link)) / kMost;
}

int wayOf(int from, int to, int ways) {
  return int(scrambled(0, uint32_t(from), uint32_t(to)) % uint32_t(ways));
}

} // namespace

PathTable blink::spreadPaths(const RankTopology &machine,
                             const std::vector<double> &prices,
                             const std::vector<int> &sources,
                             llvm::function_ref<int(int)> waysOf) {
  PathTable table = machine.cheapestPaths(prices, sources);
  const std::vector<int> fabric = fabricLinks(machine.topology());
  if (fabric.empty() || !machine.relays().empty())
    return table;
  std::vector<double> own = prices;
  std::vector<bool> taken(size_t(machine.numRanks())); // if `to` goes this way
  for (int from : sources) {
    const int ways = waysOf(from);
    for (int way = 0; way < ways; ++way) {
      bool isTaken = false;
      for (int to = 0; to < machine.numRanks(); ++to)
        isTaken |= taken[to] = wayOf(from, to, ways) == way;
      if (!isTaken)
        continue;
      for (int link : fabric)
        own[link] = prices[link] * (1 + kTie * tieOf(from, way, link));
      PathTable row = machine.cheapestPaths(own, from, taken);
      for (int to = 0; to < machine.numRanks(); ++to) {
        const size_t place = table.place(from, to);
        Path &path = row.paths[row.place(from, to)];
        if (taken[to] && path.size() == table.paths[place].size() &&
            priceOf(path, prices) <= table.costs[place] * kSame)
          table.paths[place] = std::move(path);
      }
    }
  }
  return table;
}
