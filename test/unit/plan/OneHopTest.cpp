//===- OneHopTest.cpp -------------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The allreduce in a single exchange.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/OneHop.h"
#include "test/unit/topology/TestTopology.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <random>

using namespace blink;
using namespace blink::test;

namespace {

constexpr Protocol kProtocol = Protocol::low_latency;

std::optional<OneHop> oneHop(const RankTopology &rankTopology,
                             unsigned maxLanes = 1) {
  return valueOf(packOneHop(rankTopology, kProtocol, maxLanes));
}

/// Returns `n` GPUs, each two joined by links whose latency depends on both.
template <typename Latency>
Topology mesh(int n, double bandwidth, Latency latency) {
  Topology topology;
  topology.name = "mesh";
  for (int gpu = 0; gpu < n; ++gpu)
    topology.nodes.push_back({"gpu" + std::to_string(gpu), NodeKind::gpu});
  for (int from = 0; from < n; ++from)
    for (int to = 0; to < n; ++to)
      if (from != to) {
        Link link;
        link.from = from;
        link.to = to;
        link.kind = LinkKind::nvlink;
        link.bandwidth = bandwidth;
        link.latency = latency(from, to);
        topology.links.push_back(link);
      }
  return topology;
}

} // namespace

TEST_CASE("all ranks of a mesh exchange, and what that takes") {
  for (int n : {2, 3, 8, 16}) {
    CAPTURE(n);
    RankTopology rankTopology =
        rankTopologyOf(mesh(n, 20, [](int from, int to) { return 0.5; }));
    std::optional<OneHop> hop = oneHop(rankTopology);
    REQUIRE(hop);
    REQUIRE(hop->program.ranks.size() == size_t(n));
    for (int rank = 0; rank < n; ++rank) {
      std::vector<int> reached{rank};
      for (const FoldProgram::Channel &channel : hop->program.channels) {
        CHECK(channel.pathCount == 1);
        if (channel.source == rank)
          reached.push_back(channel.destination);
      }
      REQUIRE(reached.size() == size_t(n));
      std::sort(reached.begin(), reached.end());
      for (int other = 0; other < n; ++other)
        CHECK(reached[other] == other);
    }
    // A step and a link. The first rank's last data is written after that for n
    // - 2 others, and read after that of n - 2 others.
    CHECK(hop->time.start == doctest::Approx(1.5 + 2 * 0.25 * (n - 2)));
    // Either the link, with two bytes of words per byte; or the lane, which
    // loads the input and n contributions, and stores n - 1 copies and the
    // output.
    CHECK(hop->time.gapPerByte * 1000 ==
          doctest::Approx(std::max(2.0 / 20, (2 * n + 1) / 2.0 / 16)));
    // The lane's second fold.
    CHECK(hop->time.at(0) == doctest::Approx(hop->time.start + 0.25));
  }
}

TEST_CASE("loads of links that several pairs share add up") {
  // Each GPU's link to the switch carries what the GPU sends to seven others.
  RankTopology rankTopology =
      rankTopologyOf(shippedTopology("dgx-h100"), {}, LinkKindSet::all());
  CHECK(oneHop(rankTopology)->time.gapPerByte * 1000 ==
        doctest::Approx(8.5 / 16));
  Topology slow = rankTopology.topology();
  for (Link &link : slow.links)
    link.bandwidth = 10;
  CHECK(oneHop(rankTopologyOf(slow))->time.gapPerByte * 1000 ==
        doctest::Approx(2 / (10.0 / 7)));
}

TEST_CASE("as many lanes as the links can feed") {
  // With eight ranks, a lane moves 8.5 bytes per byte: 0.53 ns. The links of an
  // H100 take 2 x 7 / 450 GB/s = 0.031 ns, so that 17 lanes would be as fast as
  // the links.
  RankTopology wide = rankTopologyOf(shippedTopology("dgx-h100"));
  for (unsigned lanes : {1, 4, 8, 16}) {
    CAPTURE(lanes);
    std::optional<OneHop> hop = oneHop(wide, lanes);
    CHECK(hop->program.trees.size() == lanes);
    CHECK(hop->time.gapPerByte * 1000 == doctest::Approx(8.5 / 16 / lanes));
    CHECK(hop->time.at(0) == doctest::Approx(hop->time.start + 0.25));
  }
  CHECK(oneHop(wide, 15)->program.trees.size() == 8);
  CHECK(oneHop(wide, 64)->program.trees.size() == 32);
  CHECK(oneHop(wide, 64)->time.gapPerByte * 1000 ==
        doctest::Approx(2 / (450.0 / 7)));
  // The links of two ranks take 0.1 ns, one lane takes 0.16.
  RankTopology pair = rankTopologyOf(mesh(2, 20, [](int, int) { return 0.5; }));
  CHECK(oneHop(pair, 16)->program.trees.size() == 2);
  CHECK(oneHop(pair, 16)->time.gapPerByte * 1000 == doctest::Approx(0.1));
  // For slow links, one lane is enough.
  CHECK(oneHop(rankTopologyOf(shippedTopology("pcie-8gpu")), 16)
            ->program.trees.size() == 1);
}

TEST_CASE("no order of sending is better") {
  std::minstd_rand random(3);
  for (int trial = 0; trial < 40; ++trial) {
    CAPTURE(trial);
    int n = 2 + trial % 4;
    std::vector<double> latencies(n * n);
    for (double &latency : latencies)
      latency = double(random() % 9) / 8;
    RankTopology rankTopology = rankTopologyOf(
        mesh(n, 1, [&](int from, int to) { return latencies[from * n + to]; }));
    double best = 0;
    for (int rank = 0; rank < n; ++rank) {
      std::vector<int> order;
      for (int to = 0; to < n; ++to)
        if (to != rank)
          order.push_back(to);
      double least = 1e9;
      do {
        double latest = 0;
        for (int place = 0; place < n - 1; ++place) {
          int to = order[place], readAfter = 0;
          for (int other = rank + 1; other < n; ++other)
            readAfter += other != to;
          latest = std::max(latest, 1 + latencies[rank * n + to] +
                                        0.25 * (place + readAfter));
        }
        least = std::min(least, latest);
      } while (std::next_permutation(order.begin(), order.end()));
      best = std::max(best, least);
    }
    CHECK(oneHop(rankTopology)->time.start == doctest::Approx(best));
  }
}

TEST_CASE("nothing where two ranks have no path of their own") {
  Topology dgx1 = shippedTopology("dgx1");
  LinkKindSet nvlink = valueOf(parseLinkKinds("nvlink"));
  CHECK(oneHop(rankTopologyOf(dgx1)));
  CHECK_FALSE(oneHop(rankTopologyOf(dgx1, {}, nvlink)));
  CHECK(oneHop(rankTopologyOf(dgx1, {0, 1, 2, 3}, nvlink)));
  CHECK_FALSE(oneHop(rankTopologyOf(dgx1, {0, 1, 5}, nvlink)));
  CHECK_FALSE(oneHop(rankTopologyOf(dgx1, {0})));
  // A path over a relay has two hops; a path without one is preferred.
  CHECK_FALSE(
      oneHop(valueOf(RankTopology::create(dgx1, {0, 5}, nvlink, {1, 4}))));
  Topology topology = makeTopology(
      R"({"id": "a", "kind": "gpu"}, {"id": "b", "kind": "gpu"},
         {"id": "r", "kind": "gpu"})",
      R"({"from": "a", "to": "b", "bandwidth": 1, "latency": 9, "kind": "nvlink"},
         {"from": "a", "to": "r", "bandwidth": 9, "latency": 1, "kind": "nvlink"},
         {"from": "r", "to": "b", "bandwidth": 9, "latency": 1, "kind": "nvlink"})");
  std::optional<OneHop> hop = oneHop(
      valueOf(RankTopology::create(topology, {0, 1}, LinkKindSet::all(), {2})));
  REQUIRE(hop);
  CHECK(hop->program.channels[0].pathCount == 1);
  CHECK(int(hop->program.paths[0]) == pathOver(topology, {"a", "b"})[0]);
  CHECK(hop->time.start == doctest::Approx(10));
}
