//===- MaxFlowTest.cpp - flows against the list of all cuts ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// On small random graphs, the flow's value must be that of the smallest cut.
//
//===----------------------------------------------------------------------===//

#include "test/unit/packing/MaxFlow.h"
#include "test/unit/topology/TestTopology.h"

#include <cmath>
#include <limits>
#include <random>

using namespace blink;
using namespace blink::test;

namespace {

struct Edge {
  int from, to;
  double capacity;
};

double cutOf(const std::vector<Edge> &edges, unsigned side) {
  double sum = 0;
  for (const Edge &edge : edges)
    if ((side >> edge.from & 1) && !(side >> edge.to & 1))
      sum += edge.capacity;
  return sum;
}

FlowNetwork networkOf(int nodes, const std::vector<Edge> &edges) {
  FlowNetwork network(nodes);
  for (const Edge &edge : edges)
    network.addEdge(edge.from, edge.to, edge.capacity);
  return network;
}

} // namespace

TEST_CASE("max flow is min cut") {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    int n = 2 + static_cast<int>(random() % 7);
    std::vector<Edge> edges;
    for (unsigned e = random() % (n * n); e > 0; --e)
      edges.push_back(
          {static_cast<int>(random() % n), static_cast<int>(random() % n),
           random() % 3 ? random() % 5 * 25.0 : random() % 1000 * 0.1});
    FlowNetwork network = networkOf(n, edges);
    for (int sink = 1; sink < n; ++sink) {
      double flow = network.maxFlow(0, sink);
      double least = std::numeric_limits<double>::infinity();
      for (unsigned side = 0; side < 1u << n; ++side)
        if ((side & 1) && !(side >> sink & 1))
          least = std::min(least, cutOf(edges, side));
      CHECK(flow == doctest::Approx(least).epsilon(1e-12));

      std::vector<bool> side = network.minCutSide(0);
      REQUIRE(side[0]);
      REQUIRE_FALSE(side[sink]);
      unsigned bits = 0;
      for (int node = 0; node < n; ++node)
        bits |= unsigned(side[node]) << node;
      CHECK(cutOf(edges, bits) == doctest::Approx(least).epsilon(1e-12));
    }
  }
}

TEST_CASE("infinite capacities") {
  const double infinity = std::numeric_limits<double>::infinity();
  FlowNetwork network =
      networkOf(4, {{0, 1, infinity}, {1, 2, 3}, {2, 3, infinity}, {0, 2, 4}});
  CHECK(network.maxFlow(0, 3) == 7);
  CHECK(network.minCutSide(0) == std::vector<bool>{true, true, false, false});
  CHECK(std::isinf(network.maxFlow(2, 3)));
  CHECK(network.maxFlow(3, 0) == 0);
  CHECK(network.maxFlow(0, 3) == 7);
}

TEST_CASE("a long chain needs no deep stack") {
  const int n = 200000;
  FlowNetwork network(n);
  for (int node = 1; node < n; ++node)
    network.addEdge(node - 1, node, node == n / 2 ? 1.5 : 2);
  CHECK(network.maxFlow(0, n - 1) == 1.5);
}

TEST_CASE("broadcast optima of the DGX-1: the smallest flow from a root") {
  struct {
    const char *name;
    double optimum;
  } machines[] = {{"dgx1", 150}, {"dgx1p", 80}};
  for (auto [name, optimum] : machines) {
    Topology topology = shippedTopology(name);
    FlowNetwork network(8);
    for (const Link &link : topology.links)
      if (link.kind == LinkKind::nvlink)
        network.addEdge(link.from, link.to, link.bandwidth);
    for (int root = 0; root < 8; ++root) {
      double least = std::numeric_limits<double>::infinity();
      for (int to = 0; to < 8; ++to)
        if (to != root)
          least = std::min(least, network.maxFlow(root, to));
      CHECK(least == optimum);
    }
  }
}
