//===- SingleFailuresTest.cpp - single failures ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/SingleFailures.h"

#include "compiler/topology/DegradeLinks.h"
#include "compiler/topology/fabric/DrivableLinks.h"
#include "test/unit/topology/TestTopology.h"

#include <algorithm>
#include <set>

using namespace blink;
using namespace blink::test;

namespace {

/// Returns the pairs that matter to one allocation, such as "gpu0:gpu1".
std::set<std::string> pairsOf(const Topology &topology,
                              const std::vector<int> &gpus,
                              const char *kinds = "all") {
  const auto matters = valueOf(
      pairsThatMatter(topology, valueOf(parseLinkKinds(kinds)), {gpus}));
  std::set<std::string> names;
  for (NodePair pair : matters.front())
    names.insert(endsOf(topology, pair));
  return names;
}

/// Returns the links of all drivable paths among `gpus`, as (ends, kind).
std::set<std::tuple<int, int, LinkKind>> linksOf(const Topology &topology,
                                                 const std::vector<int> &gpus) {
  RankTopology machine = rankTopologyOf(topology);
  DrivableLinks drivable(machine);
  std::set<std::tuple<int, int, LinkKind>> links;
  for (int from : gpus)
    for (int to : gpus)
      if (from != to)
        for (int index : drivable.between(from, to)) {
          const Link &link = topology.links[index];
          links.emplace(link.from, link.to, link.kind);
        }
  return links;
}

using Allocations = std::vector<std::vector<int>>;

} // namespace

TEST_CASE("each two nodes with a link between them are a pair, once") {
  const Topology topology = makeTopology(
      R"({"id": "s", "kind": "switch"}, {"id": "a", "kind": "gpu"},
         {"id": "b", "kind": "gpu"}, {"id": "c", "kind": "gpu"})",
      R"({"from": "b", "to": "a", "bandwidth": 1, "kind": "nvlink"},
         {"from": "a", "to": "b", "bandwidth": 2, "kind": "pcie"},
         {"from": "c", "to": "s", "bandwidth": 1, "directed": true},
         {"from": "s", "to": "b", "bandwidth": 1, "directed": true})");
  CHECK(linkedPairs(topology) == std::vector<NodePair>{{0, 2}, {0, 3}, {1, 2}});
  CHECK(linkedPairs(shippedTopology("dgx1")).size() == 16 + 8 + 4 + 1);
}

TEST_CASE("links that are on no path of an allocation do not matter to it") {
  const Topology dgx1 = shippedTopology("dgx1");
  using Names = std::set<std::string>;
  CHECK(pairsOf(dgx1, {0, 1}) ==
        Names{"gpu0:gpu1", "gpu0:plx0", "gpu1:plx0", "plx0:cpu0"});
  CHECK(pairsOf(dgx1, {0, 1}, "nvlink") == Names{"gpu0:gpu1"});
  CHECK(pairsOf(dgx1, {0, 1}, "pcie,host") ==
        Names{"gpu0:plx0", "gpu1:plx0", "plx0:cpu0"});
  CHECK(pairsOf(dgx1, {0, 5}, "nvlink").empty());
  CHECK(pairsOf(dgx1, {5}).empty());
  CHECK(pairsOf(dgx1, {0, 1, 2, 3, 4, 5, 6, 7}).size() == 29);
  // Several allocations, each by itself.
  const auto two = valueOf(
      pairsThatMatter(dgx1, LinkKindSet::all(), Allocations{{5}, {0, 1}}));
  REQUIRE(two.size() == 2);
  CHECK(two[0].empty());
  CHECK(two[1].size() == 4);
}

TEST_CASE("what does not matter changes nothing, what does takes links") {
  for (const char *name : {"dgx1", "a100-nv4", "mi250", "pcie-8gpu"}) {
    const Topology topology = shippedTopology(name);
    CAPTURE(topology.name);
    for (const std::vector<int> &gpus :
         {std::vector<int>{0, 1}, {0, 3}, {1, 2, 3}}) {
      const auto whole = linksOf(topology, gpus);
      const auto matters =
          valueOf(pairsThatMatter(topology, LinkKindSet::all(), {gpus}))
              .front();
      CHECK(std::is_sorted(matters.begin(), matters.end()));
      for (NodePair pair : linkedPairs(topology)) {
        Topology left = topology;
        removeLinks(left, pair.first, pair.second);
        const bool matter =
            std::binary_search(matters.begin(), matters.end(), pair);
        CHECK((linksOf(left, gpus) == whole) == !matter);
      }
    }
  }
}

TEST_CASE("each GPU may be lost, where two are left") {
  CHECK(withLostGpus({{4, 1, 6}}) ==
        Allocations{{1, 4}, {1, 6}, {4, 6}, {1, 4, 6}});
  CHECK(withLostGpus({{1, 4}}) == Allocations{{1, 4}});
  CHECK(withLostGpus({{3}}) == Allocations{{3}});
  CHECK(withLostGpus({}).empty());
  // If an allocation loses a GPU, the rest may be another allocation, or the
  // rest of another.
  CHECK(withLostGpus({{0, 1, 3}, {0, 1}, {0, 1, 2}}) ==
        Allocations{
            {0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {0, 1, 2}, {0, 1, 3}});
}
