//===- LinkRatesTest.cpp ----------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A link gets the highest rate that crossed it if it was the bottleneck of a
// route, and less if a switch or host cannot carry all links at once.
//
//===----------------------------------------------------------------------===//

#include "compiler/probe/measure/LinkRates.h"

#include "test/unit/topology/TestTopology.h"

using namespace blink;
using namespace blink::test;

namespace {

/// Two GPUs below a switch, each with its own link to it; a shared link leads
/// to the CPU.
struct Tree {
  Topology topology = makeTopology(
      R"({"id": "gpu0", "kind": "gpu"}, {"id": "gpu1", "kind": "gpu"},
         {"id": "plx0", "kind": "switch"}, {"id": "cpu0", "kind": "cpu"},
         {"id": "cpu1", "kind": "cpu"})",
      R"({"from": "gpu0", "to": "plx0", "bandwidth": 16, "kind": "pcie"},
         {"from": "gpu1", "to": "plx0", "bandwidth": 16, "kind": "pcie"},
         {"from": "plx0", "to": "cpu0", "bandwidth": 24, "kind": "pcie"},
         {"from": "cpu0", "to": "cpu1", "bandwidth": 40, "kind": "host"})");
  MeasurePlan plan;
  std::vector<RunRates> results;

  Tree() {
    for (int gpu : {0, 1}) // to the near memory, then the far one
      plan.routes.push_back(
          {{Place::gpu, gpu}, {Place::numa, 0}, {link(gpu, 2), link(2, 3)}});
    for (int gpu : {0, 1})
      plan.routes.push_back({{Place::gpu, gpu},
                             {Place::numa, 1},
                             {link(gpu, 2), link(2, 3), link(3, 4)}});
  }
  int link(int from, int to) const {
    return topology.linkIndices().at(
        {from, to, to == 4 ? LinkKind::host : LinkKind::pcie});
  }
  void run(std::vector<int> routes, std::vector<double> rates) {
    plan.runs.push_back({std::move(routes)});
    results.push_back({std::move(rates), 0.01});
  }
  LinkRate rateOf(int from, int to) const {
    return linkRates(topology, plan, results)[link(from, to)];
  }
};

} // namespace

TEST_CASE("a shared link has the sum, and those that lead there their own") {
  Tree tree;
  tree.run({0}, {14});
  tree.run({1}, {14});
  tree.run({0, 1}, {11, 11});
  CHECK(tree.rateOf(0, 2).bandwidth == 14);
  CHECK(tree.rateOf(0, 2).source == LinkRate::measured);
  CHECK(tree.rateOf(2, 3).bandwidth == 22);
  CHECK(tree.rateOf(2, 3).alone == 14);
  CHECK(tree.rateOf(2, 3).together == 22);
  CHECK(tree.rateOf(2, 3).source == LinkRate::measured);
  // The other direction was not measured.
  CHECK(tree.rateOf(3, 2).source == LinkRate::notMeasured);
}

TEST_CASE("a shared link that is slower than those that lead there is found") {
  Tree tree;
  tree.run({0}, {12});
  tree.run({1}, {12});
  CHECK(tree.rateOf(0, 2).source == LinkRate::measured); // perhaps
  tree.run({0, 1}, {6, 6});
  CHECK(tree.rateOf(2, 3).bandwidth == 12);
  CHECK(tree.rateOf(2, 3).source == LinkRate::measured);
  CHECK(tree.rateOf(0, 2).bandwidth == 16);
  CHECK(tree.rateOf(0, 2).source == LinkRate::atLeast);
}

TEST_CASE("a link that nothing fills keeps its nominal rate") {
  Tree tree;
  tree.run({0}, {14});
  tree.run({1}, {14});
  CHECK(tree.rateOf(2, 3).source == LinkRate::atLeast);
  CHECK(tree.rateOf(2, 3).bandwidth == 24);
  tree.run({2, 3}, {12, 12});
  CHECK(tree.rateOf(2, 3).source == LinkRate::measured);
  CHECK(tree.rateOf(3, 4).source == LinkRate::atLeast);
  CHECK(tree.rateOf(3, 4).bandwidth == 40);
}

TEST_CASE("a far link that is slower than the ways to it is found") {
  Tree tree;
  tree.run({0}, {14});
  tree.run({1}, {14});
  tree.run({2}, {9});
  tree.run({0, 1}, {11, 11});
  tree.run({2, 3}, {5, 5});
  CHECK(tree.rateOf(3, 4).bandwidth == 10);
  CHECK(tree.rateOf(3, 4).source == LinkRate::measured);
  CHECK(tree.rateOf(2, 3).bandwidth == 22);
  CHECK(tree.rateOf(0, 2).bandwidth == 14);
}

TEST_CASE("a link that carries more than its nominal rate says so") {
  Tree tree;
  tree.run({0}, {14});
  tree.run({0, 1}, {14, 14});
  CHECK(tree.rateOf(2, 3).bandwidth == 28);
  CHECK(tree.rateOf(2, 3).source == LinkRate::measured);
}

TEST_CASE("what no link explains lowers those nearest to full") {
  Tree tree;
  tree.run({0}, {14});
  tree.run({1}, {14});
  tree.run({0, 1}, {11, 11});
  tree.run({0, 1, 2}, {5, 6, 5}); // 16 of 22, and 10 of 14
  CHECK(tree.rateOf(2, 3).source == LinkRate::heldBack);
  CHECK(tree.rateOf(2, 3).bandwidth == 16);
  CHECK(tree.rateOf(0, 2).source == LinkRate::measured);
  CHECK(tree.rateOf(0, 2).bandwidth == 14);
}

TEST_CASE("links alike get the least rate, others their own") {
  Tree tree;
  tree.run({0}, {14.04});
  tree.run({1}, {13.76});
  CHECK(tree.rateOf(0, 2).bandwidth == 13.8);
  CHECK(tree.rateOf(1, 2).bandwidth == 13.8);
  tree = {};
  tree.run({0}, {14.04});
  tree.run({1}, {13.3});
  CHECK(tree.rateOf(0, 2).bandwidth == 14);
  CHECK(tree.rateOf(1, 2).bandwidth == 13.3);
}

TEST_CASE("rates in words") {
  Tree tree;
  tree.run({0}, {14});
  tree.run({1}, {14});
  tree.run({2}, {14});
  tree.run({0, 1}, {11, 11});
  tree.run({0, 1, 2}, {5, 6, 5});
  CHECK(describe(tree.topology,
                 linkRates(tree.topology, tree.plan, tree.results)) ==
        std::vector<std::string>{
            "gpu0 -> plx0, pcie: 14 instead of 16; alone 14.0, together 11.0, "
            "spread 1.0 %",
            "gpu1 -> plx0, pcie: 14 instead of 16; alone 14.0, together 11.0, "
            "spread 1.0 %",
            "plx0 -> cpu0, pcie: 16 instead of 24, when all copy at once; "
            "alone 14.0, together 22.0, spread 1.0 %",
            "cpu0 -> cpu1, host: nominal 40; what leads there carries no more "
            "than alone 14.0, together 5.0",
            "3 directions of kind pcie: nominal; no copy could be made across "
            "them",
            "1 directions of kind host: nominal; no copy could be made across "
            "them"});
}
