//===- PackPairsTest.cpp - paths of point-to-point messages ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/pairs/PackPairs.h"
#include "compiler/generate/Generate.h"
#include "compiler/packing/PackTrees.h"
#include "compiler/packing/SelectTrees.h"
#include "test/unit/packing/MaxFlow.h"
#include "test/unit/topology/TestTopology.h"

#include <algorithm>
#include <random>
#include <string>

using namespace blink;
using namespace blink::test;

namespace {

PackedTrees packed(const RankTopology &machine) {
  PackingProblem problem{&machine, Collective::sendrecv, 0};
  PackedTrees result = valueOf(packTrees(problem));
  CHECK(!problem.verify(result.packing));
  CHECK(result.packing.algbw <= result.certificate.bound * (1 + 1e-9));
  // Nothing is selected, since there are few trees already.
  Packing selected = valueOf(selectTrees(problem, result, {}));
  CHECK(selected.trees.size() == result.packing.trees.size());
  return result;
}

/// Returns the maximum flow between two GPUs, not through any other GPU, on a
/// machine whose links are all NVLinks.
double flowBetween(const Topology &machine, int from, int to) {
  FlowNetwork network(int(machine.nodes.size()));
  auto isOther = [&](int node) {
    return machine.nodes[size_t(node)].kind == NodeKind::gpu && node != from &&
           node != to;
  };
  for (const Link &link : machine.links)
    if (!isOther(link.from) && !isOther(link.to))
      network.addEdge(link.from, link.to, link.bandwidth);
  return network.maxFlow(from, to);
}

/// Returns GPUs on one or two of several switches, which are all joined, with
/// few different bandwidths.
Topology wovenMachine(std::minstd_rand &random) {
  Topology machine;
  machine.name = "woven";
  const int gpus = 2 + int(random() % 5), switches = 2 + int(random() % 3);
  for (int i = 0; i < gpus; ++i)
    machine.nodes.push_back({"gpu" + std::to_string(i), NodeKind::gpu});
  for (int i = 0; i < switches; ++i)
    machine.nodes.push_back({"sw" + std::to_string(i), NodeKind::switch_});
  auto join = [&](int a, int b) {
    for (auto [from, to] : {std::pair(a, b), std::pair(b, a)})
      machine.links.push_back(
          {from, to, 10.0 * double(1 + random() % 4), 1, LinkKind::nvlink});
  };
  for (int a = 0; a < switches; ++a)
    for (int b = a + 1; b < switches; ++b)
      join(gpus + a, gpus + b);
  for (int gpu = 0; gpu < gpus; ++gpu) {
    const int first = int(random()) % switches;
    join(gpu, gpus + first);
    if (random() % 2)
      join(gpu, gpus + (first + 1) % switches);
  }
  return machine;
}

} // namespace

TEST_CASE("messages of shipped machines have the rate of their slowest pair") {
  auto rateOf = [](const char *machine) {
    return packed(rankTopologyOf(shippedTopology(machine))).packing.algbw;
  };
  CHECK(rateOf("dgx-h100") == doctest::Approx(450));
  CHECK(rateOf("dgx2") == doctest::Approx(150));
  CHECK(rateOf("a100-nv4") == doctest::Approx(100));
  CHECK(rateOf("pcie-8gpu") == doctest::Approx(15.75));
  // Some GPUs have no NVLink between them and go over their hosts.
  CHECK(rateOf("dgx1") == doctest::Approx(15.75));
}

TEST_CASE("the bound is the least flow between two ranks") {
  std::minstd_rand random(11);
  for (int trial = 0; trial < 60; ++trial) {
    CAPTURE(trial);
    const Topology machine = wovenMachine(random);
    RankTopology ranks = rankTopologyOf(machine);
    double least = 1e9;
    for (int from = 0; from < ranks.numRanks(); ++from)
      for (int to = 0; to < ranks.numRanks(); ++to)
        if (from != to)
          least = std::min(least, flowBetween(machine, from, to));
    PackedTrees result = packed(ranks);
    CHECK(result.certificate.bound == doctest::Approx(least).epsilon(1e-8));
    // Up to eight parts of equal size come near to it.
    CHECK(result.packing.algbw >= 0.8 * least);
  }
}

TEST_CASE("each pair has as many paths as the others, each its own part") {
  // Two planes of switches, one of them twice as fast: two of three stars use
  // that one.
  Topology machine;
  machine.name = "planes";
  for (const char *name : {"gpu0", "gpu1", "gpu2"})
    machine.nodes.push_back({name, NodeKind::gpu});
  for (int plane = 0; plane < 2; ++plane) {
    machine.nodes.push_back({"sw" + std::to_string(plane), NodeKind::switch_});
    for (int gpu = 0; gpu < 3; ++gpu)
      for (auto [from, to] : {std::pair(gpu, 3 + plane), {3 + plane, gpu}})
        machine.links.push_back(
            {from, to, plane ? 40.0 : 20.0, 1, LinkKind::nvlink});
  }
  PackedTrees result = packed(rankTopologyOf(machine));
  CHECK(result.packing.algbw == doctest::Approx(60));
  CHECK(result.packing.trees.size() == 9);
  for (const Tree &star : result.packing.trees) {
    CHECK(star.down.size() == 2);
    CHECK(star.weight == doctest::Approx(20));
  }
}

TEST_CASE("every pair has a path that can be driven") {
  RankTopology machine = rankTopologyOf(shippedTopology("dgx2"));
  PackedTrees result = packed(machine);
  CHECK(result.packing.trees.size() == 16);
  for (const Tree &star : result.packing.trees)
    for (const TreeEdge &edge : star.down)
      CHECK(machine.classify(edge.from, edge.to, edge.path));
}

TEST_CASE("the nearest paths are for small messages") {
  RankTopology machine = rankTopologyOf(shippedTopology("dgx1"));
  PackingProblem problem{&machine, Collective::sendrecv, 0};
  std::vector<double> latencies;
  for (const Link &link : machine.topology().links)
    latencies.push_back(link.latency);
  Packing packing = valueOf(packNearestPairs(problem, latencies));
  CHECK(!problem.verify(packing));
  CHECK(packing.trees.size() == 8);
  const PathTable table = machine.cheapestPaths(latencies);
  for (const Tree &star : packing.trees)
    for (const TreeEdge &edge : star.down)
      CHECK(edge.path == table.path(edge.from, edge.to));
}

TEST_CASE("ranks that reach each other only over a third have no messages") {
  auto refusal = [](const RankTopology &machine) {
    return textOf(PackingProblem{&machine, Collective::sendrecv, 0}.check());
  };
  // Over NVLink alone, GPU 0 of a DGX-1 reaches four others only.
  RankTopology nvlink = rankTopologyOf(shippedTopology("dgx1"), {},
                                       valueOf(parseLinkKinds("nvlink")));
  CHECK(refusal(nvlink).find("GPU 0 cannot reach GPU 5 directly over links of "
                             "kind nvlink") != std::string::npos);
  RankTopology relayed = valueOf(RankTopology::create(
      shippedTopology("dgx1"), {0, 1}, LinkKindSet::all(), {2, 3}));
  CHECK(refusal(relayed).find("over relays") != std::string::npos);
}

TEST_CASE("verify knows stars from trees, and pairs from sums") {
  RankTopology machine = rankTopologyOf(shippedTopology("a100-nv4"));
  PackingProblem problem{&machine, Collective::sendrecv, 0};
  const Packing good = valueOf(packTrees(problem)).packing;
  Packing chain = good;
  chain.trees[0].down[1].from = chain.trees[0].down[0].to;
  chain.trees[0].down[1].path =
      good.trees[size_t(chain.trees[0].down[0].to)].down.back().path;
  CHECK(textOf(problem.verify(chain)).find("does not begin at the root") !=
        std::string::npos);
  Packing fast = good;
  fast.algbw *= 2;
  for (Tree &tree : fast.trees)
    tree.weight *= 2;
  CHECK(textOf(problem.verify(fast)).find("exceeds its bandwidth") !=
        std::string::npos);
  // A link's load is the maximum of what single messages put on it, not the sum
  // of three.
  const std::vector<double> loads = problem.linkLoads(good);
  CHECK(*std::max_element(loads.begin(), loads.end()) == doctest::Approx(100));
}
