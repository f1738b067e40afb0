//===- SpreadPathsTest.cpp - sharing out equally cheap paths --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/fabric/SpreadPaths.h"

#include "compiler/generate/Generate.h"
#include "compiler/support/Numbers.h"
#include "compiler/topology/fabric/FabricLinks.h"
#include "test/unit/topology/TestTopology.h"

#include <algorithm>

using namespace blink;
using namespace blink::test;

namespace {

RankTopology allRanksOf(Topology topology) {
  return valueOf(
      RankTopology::create(std::move(topology), {}, LinkKindSet::all()));
}

/// Returns how many paths cross the busiest link of the fabric.
int mostOnLink(const RankTopology &machine, const PathTable &table) {
  std::vector<int> crossings(machine.topology().links.size(), 0);
  for (const Path &path : table.paths)
    for (int link : path)
      ++crossings[size_t(link)];
  int most = 0;
  for (int link : fabricLinks(machine.topology()))
    most = std::max(most, crossings[size_t(link)]);
  return most;
}

/// The same number of ways from each source.
struct Ways {
  int number;
  int operator()(int /*source*/) const { return number; }
};

} // namespace

TEST_CASE("paths of a fat tree are shared out among its cores") {
  for (LinkKind kind : {LinkKind::nvlink, LinkKind::network}) {
    const RankTopology machine =
        allRanksOf(valueOf(generateFatTree(8, 1, Wire{25, 0.7, kind})));
    const int n = machine.numRanks();
    std::vector<double> prices;
    for (size_t link = 0; link < machine.topology().links.size(); ++link)
      prices.push_back(1 + double(link % 3 == 0));
    for (const std::vector<double> &each :
         {std::vector<double>(prices.size(), 1.0), prices})
      for (auto [sources, ways] : {std::pair(firstNumbers(size_t(n)), Ways{1}),
                                   {std::vector{5, 77}, Ways{16}}}) {
        const PathTable plain = machine.cheapestPaths(each, sources);
        const PathTable spread = spreadPaths(machine, each, sources, ways);
        CHECK(spread.costs == plain.costs);
        for (int from : sources)
          for (int to = 0; to < n; ++to) {
            if (from == to)
              continue;
            const Path &path = spread.path(from, to);
            REQUIRE(machine.classify(from, to, path));
            CHECK(priceOf(path, each) ==
                  doctest::Approx(plain.cost(from, to)).epsilon(1e-9));
          }
        CHECK(spreadPaths(machine, each, sources, ways).paths == spread.paths);
      }
    // Each of 32 switches has 4 links up, and its 4 ranks send to 124 others.
    const std::vector<double> alike(prices.size(), 1.0);
    const std::vector<int> all = firstNumbers(size_t(n));
    CHECK(mostOnLink(machine, machine.cheapestPaths(alike, all)) >= 4 * 124);
    CHECK(mostOnLink(machine, spreadPaths(machine, alike, all, Ways{1})) <
          3 * 124);
    // From a single rank, 16 ways suffice to use all 4 links.
    CHECK(mostOnLink(machine, machine.cheapestPaths(alike, {0})) == 124);
    CHECK(mostOnLink(machine, spreadPaths(machine, alike, {0}, Ways{16})) < 62);
  }
}

TEST_CASE("without a fabric paths stay what they were") {
  const RankTopology machine =
      allRanksOf(valueOf(generatePod(shippedTopology("dgx1"), 2, 2, Wire{})));
  CHECK(fabricLinks(machine.topology()).empty());
  const std::vector<double> prices(machine.topology().links.size(), 1.0);
  const std::vector<int> all = firstNumbers(size_t(machine.numRanks()));
  CHECK(spreadPaths(machine, prices, all, Ways{4}).paths ==
        machine.cheapestPaths(prices, all).paths);
}
