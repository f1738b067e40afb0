//===- RankTopologyTest.cpp - allocations and the rules of paths ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Tests which paths are drivable, on real machines and on deliberately
// difficult ones.
//
//===----------------------------------------------------------------------===//

#include "compiler/generate/Generate.h"
#include "test/common/Contains.h"
#include "test/unit/topology/TestTopology.h"

#include <algorithm>
#include <cmath>

using namespace blink;
using namespace blink::test;

namespace {

LinkKindSet only(const char *words) { return valueOf(parseLinkKinds(words)); }

PathTable unitPaths(const RankTopology &rankTopology) {
  return rankTopology.cheapestPaths(
      std::vector<double>(rankTopology.topology().links.size(), 1.0));
}

ChannelKind kindOf(const RankTopology &rankTopology, int from, int to,
                   const std::vector<std::string> &ids) {
  return valueOf(
      rankTopology.classify(from, to, pathOver(rankTopology.topology(), ids)));
}

std::string refusalOf(const RankTopology &rankTopology, int from, int to,
                      const Path &path) {
  return textOf(rankTopology.classify(from, to, path).takeError());
}

} // namespace

TEST_CASE("allocations") {
  Topology dgx1 = shippedTopology("dgx1");
  RankTopology all = rankTopologyOf(dgx1);
  CHECK(all.numRanks() == 8);
  CHECK(all.gpus() == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});

  RankTopology some = rankTopologyOf(dgx1, {6, 1, 4});
  CHECK(some.numRanks() == 3);
  CHECK(some.nodeOf(0) == nodeNamed(dgx1, "gpu6"));
  CHECK(some.nodeOf(2) == nodeNamed(dgx1, "gpu4"));
  CHECK(some.describeRanks({0, 2}) == "GPUs 6,4");
  CHECK(some.describeRanks({1}) == "GPU 1");

  auto refusal = [&](std::vector<int> gpus) {
    return textOf(
        RankTopology::create(dgx1, gpus, LinkKindSet::all()).takeError());
  };
  CHECK(refusal({0, 8}) == "GPU 8 does not exist: 'dgx1' has GPUs 0 to 7");
  CHECK(contains(refusal({-1}), "GPU -1 does not exist"));
  CHECK(contains(refusal({3, 1, 3}), "GPU 3 is listed twice"));

  Topology bare;
  bare.nodes.push_back({"sw", NodeKind::switch_});
  CHECK(contains(
      textOf(RankTopology::create(bare, {}, LinkKindSet::all()).takeError()),
      "no gpu node"));
  bare.nodes.push_back({"sw", NodeKind::gpu});
  CHECK(contains(
      textOf(RankTopology::create(bare, {}, LinkKindSet::all()).takeError()),
      "nodes[1]"));

  Topology huge;
  for (int gpu = 0; gpu <= RankTopology::kMaxRanks; ++gpu)
    huge.nodes.push_back({"g" + std::to_string(gpu), NodeKind::gpu});
  CHECK(contains(
      textOf(RankTopology::create(huge, {}, LinkKindSet::all()).takeError()),
      "the most is 16384"));
  CHECK(rankTopologyOf(huge, {RankTopology::kMaxRanks}).numRanks() == 1);
}

TEST_CASE("GPU numbers count gpu nodes, not nodes") {
  RankTopology rankTopology = rankTopologyOf(
      makeTopology(R"({"id": "s", "kind": "switch"}, {"id": "x", "kind": "gpu"},
                      {"id": "c", "kind": "cpu"}, {"id": "y", "kind": "gpu"})",
                   ""),
      {1});
  CHECK(rankTopology.nodeOf(0) == 3);
}

TEST_CASE("dgx1: NVLink neighbours meet over PCIe in host memory only") {
  RankTopology rankTopology = rankTopologyOf(shippedTopology("dgx1"));
  const Topology &topology = rankTopology.topology();
  CHECK(rankTopology.peerJoined(0, 1));
  CHECK(rankTopology.peerJoined(4, 0));
  CHECK_FALSE(rankTopology.peerJoined(0, 5));

  // If NVLink is expensive, the path reverses at the CPU.
  std::vector<double> prices;
  for (const Link &link : topology.links)
    prices.push_back(link.kind == LinkKind::nvlink ? 100 : 1);
  PathTable table = rankTopology.cheapestPaths(prices);
  CHECK(table.path(0, 1) ==
        pathOver(topology, {"gpu0", "plx0", "cpu0", "plx0", "gpu1"}));
  CHECK(table.cost(0, 1) == 4);
  CHECK(table.path(0, 5) ==
        pathOver(topology, {"gpu0", "plx0", "cpu0", "cpu1", "plx2", "gpu5"}));
  CHECK(table.cost(0, 5) == 5);
  CHECK(table.path(2, 2).empty());
  CHECK(table.cost(2, 2) == 0);

  CHECK(kindOf(rankTopology, 0, 1, {"gpu0", "gpu1"}) == ChannelKind::peer);
  CHECK(kindOf(rankTopology, 0, 1, {"gpu0", "plx0", "cpu0", "plx0", "gpu1"}) ==
        ChannelKind::staged);
  CHECK(kindOf(rankTopology, 0, 5,
               {"gpu0", "plx0", "cpu0", "cpu1", "plx2", "gpu5"}) ==
        ChannelKind::staged);
  CHECK(contains(refusalOf(rankTopology, 0, 1,
                           pathOver(topology, {"gpu0", "plx0", "gpu1"})),
                 "uses pcie link"));
}

TEST_CASE("dgx1: peers stay peers when their NVLinks are excluded") {
  RankTopology rankTopology =
      rankTopologyOf(shippedTopology("dgx1"), {0, 1}, only("pcie,host"));
  PathTable table = unitPaths(rankTopology);
  CHECK(table.cost(0, 1) == 4);
  RankTopology noHost =
      rankTopologyOf(shippedTopology("dgx1"), {0, 4}, only("pcie"));
  CHECK(std::isinf(unitPaths(noHost).cost(0, 1)));
}

TEST_CASE("ranks reach each other both ways as their paths say") {
  // stronglyConnectedRanks skips some pairs; the result must be as if it had
  // looked at each.
  const auto check = [](const RankTopology &machine) {
    const std::vector<std::vector<int>> reached = machine.reachedRanks();
    std::vector<std::vector<bool>> closures;
    for (int rank = 0; rank < machine.numRanks(); ++rank)
      closures.push_back(RankTopology::closure(reached, rank, false));
    std::vector<std::vector<int>> classes;
    for (int rank = 0; rank < machine.numRanks(); ++rank) {
      const auto mine = std::find_if(
          classes.begin(), classes.end(), [&](const std::vector<int> &other) {
            return closures[rank][other[0]] && closures[other[0]][rank];
          });
      (mine == classes.end() ? classes.emplace_back() : *mine).push_back(rank);
    }
    CHECK(machine.stronglyConnectedRanks() == classes);
    return classes.size();
  };
  // A switch joins all GPUs, but it does not serve those that NVLink joins as
  // well.
  const Topology both = makeTopology(
      R"({"id": "g0", "kind": "gpu"}, {"id": "g1", "kind": "gpu"},
         {"id": "g2", "kind": "gpu"}, {"id": "p", "kind": "switch"})",
      R"({"from": "g0", "to": "p", "bandwidth": 1, "kind": "pcie"},
         {"from": "g1", "to": "p", "bandwidth": 1, "kind": "pcie"},
         {"from": "g2", "to": "p", "bandwidth": 1, "kind": "pcie"},
         {"from": "g0", "to": "g1", "bandwidth": 1, "kind": "nvlink"},
         {"from": "g1", "to": "g2", "bandwidth": 1, "kind": "nvlink"},
         {"from": "g2", "to": "g0", "bandwidth": 1, "kind": "nvlink"})");
  CHECK(check(rankTopologyOf(both, {}, only("pcie"))) == 3);
  CHECK(check(rankTopologyOf(both, {}, only("nvlink"))) == 1);
  size_t connected = 0, apart = 0;
  for (const char *name : {"dgx1", "pcie-8gpu", "mi250", "ac922-6gpu"})
    for (const char *kinds :
         {"nvlink", "pcie", "host", "pcie,host", "nvlink,pcie", "xgmi",
          "xgmi,pcie", "nvlink,host", "nvlink,pcie,host"}) {
      CAPTURE(name);
      CAPTURE(kinds);
      const size_t classes =
          check(rankTopologyOf(shippedTopology(name), {}, only(kinds)));
      ++(classes == 1 ? connected : apart);
    }
  for (unsigned seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Topology random = valueOf(generateRandom(6, 3, 9, seed, true, Wire()));
    for (size_t link = 0; link < random.links.size(); ++link) {
      random.links[link].kind =
          (seed + link) % 3 == 0 ? LinkKind::pcie : LinkKind::nvlink;
      if ((seed * 7 + link) % 5 == 0) // one direction only, which is useless
        random.links[link].kind = LinkKind::c2c;
    }
    const size_t classes = check(rankTopologyOf(
        std::move(random), {}, only(seed % 2 ? "nvlink,pcie" : "pcie")));
    ++(classes == 1 ? connected : apart);
  }
  CHECK(connected > 10);
  CHECK(apart > 10);
}

TEST_CASE("dgx1 over NVLink alone: GPUs do not relay") {
  RankTopology rankTopology =
      rankTopologyOf(shippedTopology("dgx1"), {}, only("nvlink"));
  PathTable table = unitPaths(rankTopology);
  CHECK(table.cost(0, 4) == 1);
  CHECK(std::isinf(table.cost(0, 5)));
  CHECK(table.path(0, 5).empty());
  CHECK(rankTopology.stronglyConnectedRanks() ==
        std::vector<std::vector<int>>{{0, 1, 2, 3, 4, 5, 6, 7}});

  // Here 0 and 5 have no neighbour in common; 1 would join them.
  CHECK(rankTopologyOf(shippedTopology("dgx1"), {5, 3, 0}, only("nvlink"))
            .stronglyConnectedRanks() ==
        std::vector<std::vector<int>>{{0}, {1, 2}});
}

TEST_CASE("pcie-8gpu: peer access through a switch, else host memory") {
  RankTopology rankTopology = rankTopologyOf(shippedTopology("pcie-8gpu"));
  PathTable table = unitPaths(rankTopology);
  CHECK_FALSE(rankTopology.peerJoined(0, 1));
  struct {
    int to;
    double hops;
    ChannelKind kind;
  } expected[] = {{1, 2, ChannelKind::peer},
                  {2, 4, ChannelKind::staged},
                  {3, 4, ChannelKind::staged},
                  {4, 5, ChannelKind::staged},
                  {7, 5, ChannelKind::staged}};
  for (auto [to, hops, kind] : expected) {
    CHECK(table.cost(0, to) == hops);
    CHECK(valueOf(rankTopology.classify(0, to, table.path(0, to))) == kind);
  }
  // The longer path over the CPU is drivable, too.
  CHECK(kindOf(rankTopology, 0, 1, {"gpu0", "plx0", "cpu0", "plx0", "gpu1"}) ==
        ChannelKind::staged);
}

TEST_CASE("what makes two GPUs peer-joined") {
  // a - s - t - b over NVLink and xGMI switches. c is on the same PCIe switch.
  // d and a share only a cpu, over c2c. e and f have a one-way link.
  Topology topology = makeTopology(
      R"({"id": "a", "kind": "gpu"}, {"id": "b", "kind": "gpu"},
         {"id": "c", "kind": "gpu"}, {"id": "d", "kind": "gpu"},
         {"id": "e", "kind": "gpu"}, {"id": "f", "kind": "gpu"},
         {"id": "s", "kind": "switch"}, {"id": "t", "kind": "switch"},
         {"id": "p", "kind": "switch"}, {"id": "cpu", "kind": "cpu"})",
      R"({"from": "a", "to": "s", "bandwidth": 1},
         {"from": "s", "to": "t", "bandwidth": 1, "kind": "xgmi"},
         {"from": "t", "to": "b", "bandwidth": 1},
         {"from": "a", "to": "p", "bandwidth": 1, "kind": "pcie"},
         {"from": "b", "to": "p", "bandwidth": 1, "kind": "pcie"},
         {"from": "c", "to": "p", "bandwidth": 1, "kind": "pcie"},
         {"from": "a", "to": "cpu", "bandwidth": 1, "kind": "c2c"},
         {"from": "d", "to": "cpu", "bandwidth": 1, "kind": "c2c"},
         {"from": "e", "to": "f", "bandwidth": 1, "directed": true},
         {"from": "f", "to": "b", "bandwidth": 1})");
  RankTopology rankTopology = rankTopologyOf(topology);
  auto joined = [&](const char *pair) {
    int x = pair[0] - 'a', y = pair[1] - 'a';
    CHECK(rankTopology.peerJoined(x, y) == rankTopology.peerJoined(y, x));
    return rankTopology.peerJoined(x, y);
  };
  CHECK(joined("ab"));
  CHECK(joined("ef"));
  CHECK(joined("fb"));
  CHECK_FALSE(joined("ac"));
  CHECK_FALSE(joined("ad"));
  CHECK_FALSE(joined("eb")); // f is a GPU and does not relay
  CHECK_FALSE(joined("af"));

  CHECK(kindOf(rankTopology, 0, 1, {"a", "s", "t", "b"}) == ChannelKind::peer);
  CHECK(kindOf(rankTopology, 0, 2, {"a", "p", "c"}) == ChannelKind::peer);
  CHECK(kindOf(rankTopology, 0, 3, {"a", "cpu", "d"}) == ChannelKind::staged);
  CHECK(contains(
      refusalOf(rankTopology, 0, 1, pathOver(topology, {"a", "p", "b"})),
      "uses pcie link"));
  CHECK(unitPaths(rankTopology).path(0, 1) ==
        pathOver(topology, {"a", "s", "t", "b"}));
}

TEST_CASE("paths across nics are network channels") {
  Topology topology = makeTopology(
      R"({"id": "a", "kind": "gpu"}, {"id": "b", "kind": "gpu"},
         {"id": "m", "kind": "nic"}, {"id": "n", "kind": "nic"},
         {"id": "cpu", "kind": "cpu"})",
      R"({"from": "a", "to": "b", "bandwidth": 1, "directed": true},
         {"from": "a", "to": "m", "bandwidth": 1, "kind": "pcie"},
         {"from": "m", "to": "cpu", "bandwidth": 1, "kind": "pcie"},
         {"from": "cpu", "to": "n", "bandwidth": 1, "kind": "pcie"},
         {"from": "m", "to": "n", "bandwidth": 1, "kind": "network"},
         {"from": "n", "to": "b", "bandwidth": 1, "kind": "pcie"})");
  RankTopology rankTopology = rankTopologyOf(topology);
  CHECK(kindOf(rankTopology, 0, 1, {"a", "m", "n", "b"}) ==
        ChannelKind::network);
  CHECK(kindOf(rankTopology, 0, 1, {"a", "m", "cpu", "n", "b"}) ==
        ChannelKind::network);
  CHECK(unitPaths(rankTopology).path(1, 0) ==
        pathOver(topology, {"b", "n", "m", "a"}));
}

TEST_CASE("classify refuses what is no path") {
  RankTopology rankTopology = rankTopologyOf(shippedTopology("dgx1"),
                                             {0, 1, 5, 3}, only("nvlink,pcie"));
  const Topology &topology = rankTopology.topology();
  auto refused = [&](int from, int to, const std::vector<std::string> &ids,
                     const char *part) {
    std::string text =
        refusalOf(rankTopology, from, to, pathOver(topology, ids));
    CHECK_MESSAGE(contains(text, part), text);
  };
  refused(0, 1, {"gpu0"}, "empty path");
  refused(0, 0, {"gpu0", "gpu1"}, "from rank 0 to itself");
  refused(0, 4, {"gpu0", "gpu1"}, "rank 4 of 4 does not exist");
  refused(-1, 1, {"gpu0", "gpu1"}, "rank -1 of 4 does not exist");
  refused(0, 2, {"gpu0", "gpu1", "gpu5"}, "goes through GPU 'gpu1'");
  refused(0, 2, {"gpu0", "gpu4", "gpu5"}, "goes through GPU 'gpu4'");
  refused(0, 1, {"gpu1", "gpu0"}, "starts at 'gpu1'");
  refused(0, 1, {"gpu0", "gpu3"}, "ends at 'gpu3' instead of 'gpu1'");
  refused(0, 1, {"gpu0", "plx0"}, "ends at 'plx0'");
  refused(0, 2, {"gpu0", "plx0", "cpu0", "cpu1", "plx2", "gpu5"},
          "is host, the schedule may use nvlink,pcie only");
  Path gap = {linkBetween(topology, "gpu0", "plx0"),
              linkBetween(topology, "plx1", "gpu3")};
  CHECK(contains(refusalOf(rankTopology, 0, 3, gap), "hop 1"));
  int numLinks = static_cast<int>(topology.links.size());
  for (int link : {-1, numLinks})
    CHECK(contains(refusalOf(rankTopology, 0, 1, {link}), "does not exist"));
}

TEST_CASE("classes of ranks that reach each other") {
  // a -> b <-> c; d alone; e <-> f through a switch.
  Topology topology = makeTopology(
      R"({"id": "a", "kind": "gpu"}, {"id": "b", "kind": "gpu"},
         {"id": "c", "kind": "gpu"}, {"id": "d", "kind": "gpu"},
         {"id": "e", "kind": "gpu"}, {"id": "f", "kind": "gpu"},
         {"id": "s", "kind": "switch"})",
      R"({"from": "a", "to": "b", "bandwidth": 1, "directed": true},
         {"from": "b", "to": "c", "bandwidth": 1},
         {"from": "e", "to": "s", "bandwidth": 1},
         {"from": "s", "to": "f", "bandwidth": 1})");
  CHECK(rankTopologyOf(topology).stronglyConnectedRanks() ==
        std::vector<std::vector<int>>{{0}, {1, 2}, {3}, {4, 5}});
  CHECK(rankTopologyOf(topology, {2, 5, 1, 4}).stronglyConnectedRanks() ==
        std::vector<std::vector<int>>{{0, 2}, {1, 3}});
  CHECK(rankTopologyOf(topology, {3}).stronglyConnectedRanks() ==
        std::vector<std::vector<int>>{{0}});

  // A ring of one-way links is one class.
  topology = makeTopology(
      R"({"id": "a", "kind": "gpu"}, {"id": "b", "kind": "gpu"},
         {"id": "c", "kind": "gpu"})",
      R"({"from": "a", "to": "b", "bandwidth": 1, "directed": true},
         {"from": "b", "to": "c", "bandwidth": 1, "directed": true},
         {"from": "c", "to": "a", "bandwidth": 1, "directed": true})");
  CHECK(rankTopologyOf(topology).stronglyConnectedRanks().size() == 1);
}

TEST_CASE("paths over relays are chains of drivable parts") {
  // a - r - b over NVLink, with no link between a and b; c is joined to b over
  // PCIe.
  Topology machine = makeTopology(
      R"({"id":"a","kind":"gpu"},{"id":"r","kind":"gpu"},{"id":"b","kind":"gpu"},
         {"id":"c","kind":"gpu"},{"id":"s","kind":"switch"})",
      R"({"from":"a","to":"r","bandwidth":10},{"from":"r","to":"b","bandwidth":10},
         {"from":"b","to":"s","bandwidth":5,"kind":"pcie"},
         {"from":"c","to":"s","bandwidth":5,"kind":"pcie"},
         {"from":"r","to":"s","bandwidth":5,"kind":"pcie"})");
  std::vector<double> prices(machine.links.size(), 1.0);

  RankTopology alone = rankTopologyOf(machine, {0, 2});
  CHECK(alone.stronglyConnectedRanks().size() == 2);
  RankTopology relayed =
      valueOf(RankTopology::create(machine, {0, 2}, LinkKindSet::all(), {1}));
  CHECK(relayed.stronglyConnectedRanks().size() == 1);
  PathTable paths = relayed.cheapestPaths(prices);
  CHECK(paths.path(0, 1) == pathOver(machine, {"a", "r", "b"}));
  CHECK(paths.cost(0, 1) == 2);
  auto segments = valueOf(relayed.segments(0, 1, paths.path(0, 1)));
  REQUIRE(segments.size() == 2);
  CHECK(segments[0].from == 0);
  CHECK(segments[0].to == 2); // the relay, numbered after the ranks
  CHECK(segments[1].from == 2);
  CHECK(segments[1].to == 1);
  CHECK(segments[1].kind == ChannelKind::peer);
  // NVLink joins r and b, so no segment between them may use PCIe.
  CHECK(textOf(relayed.segments(0, 1, pathOver(machine, {"a", "r", "s", "b"}))
                   .takeError())
            .find("their own fabric alone") != std::string::npos);
  // Without relays, a GPU on the path is an error.
  CHECK(
      textOf(
          alone.segments(0, 1, pathOver(machine, {"a", "r", "b"})).takeError())
          .find("GPUs never relay") != std::string::npos);
  // From a to c: NVLink to r, then PCIe, which r and c may use.
  RankTopology mixed = valueOf(
      RankTopology::create(machine, {0, 3}, LinkKindSet::all(), {1, 2}));
  paths = mixed.cheapestPaths(prices);
  CHECK(paths.path(0, 1) == pathOver(machine, {"a", "r", "s", "c"}));

  for (std::vector<int> wrong : {std::vector<int>{0}, {1, 1}, {9}})
    CHECK(
        !textOf(RankTopology::create(machine, {0, 2}, LinkKindSet::all(), wrong)
                    .takeError())
             .empty());
}
