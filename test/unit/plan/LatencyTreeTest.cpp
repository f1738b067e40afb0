//===- LatencyTreeTest.cpp --------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Trees for small messages, compared with every existing tree if there are few,
// and the time model, compared with numbers found by hand.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/LatencyTree.h"
#include "compiler/packing/PackTrees.h"
#include "compiler/plan/ExpandForest.h"
#include "test/unit/topology/TestTopology.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <limits>
#include <random>

using namespace blink;
using namespace blink::test;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double startAlong(const PackingProblem &problem, const Packing &packing,
                  Protocol protocol) {
  return startOf(valueOf(expandForest(problem, packing)), protocol);
}

/// Returns the time below `vertex` with the best order of its children.
double timeBelow(const CostMatrix &costs, const Parents &parents, int vertex,
                 double child) {
  int n = static_cast<int>(parents.size());
  std::vector<int> children;
  for (int other = 0; other < n; ++other)
    if (parents[other] == vertex)
      children.push_back(other);
  double best = children.empty() ? 0 : kInfinity;
  do {
    double time = 0;
    for (size_t i = 0; i < children.size(); ++i)
      time =
          std::max(time, child * double(i) + costs[vertex * n + children[i]] +
                             timeBelow(costs, parents, children[i], child));
    best = std::min(best, time);
  } while (std::next_permutation(children.begin(), children.end()));
  return best;
}

bool spans(const Parents &parents, int root) {
  int n = static_cast<int>(parents.size());
  for (int vertex = 0; vertex < n; ++vertex) {
    int at = vertex, steps = 0;
    while (at != root && at >= 0 && ++steps < n)
      at = parents[at];
    if (at != root)
      return false;
  }
  return parents[root] == -1;
}

/// Returns the least time of all arborescences; infinity if there is none.
double leastTime(const CostMatrix &costs, int n, int root, double child) {
  double best = kInfinity;
  Parents parents(n, 0);
  parents[root] = -1;
  while (true) {
    if (spans(parents, root))
      best = std::min(best, timeBelow(costs, parents, root, child));
    int digit = 0;
    while (digit < n && (digit == root || ++parents[digit] == n)) {
      if (digit != root)
        parents[digit] = 0;
      ++digit;
    }
    if (digit == n)
      return best;
  }
}

/// Returns the maximum number of vertices reachable within `time` if all hops
/// are equal.
int mostReached(double time, double hop, double child) {
  if (time < hop - 1e-9)
    return 1;
  return mostReached(time - child, hop, child) +
         mostReached(time - hop, hop, child);
}

Packing latencyPacking(const PackingProblem &problem) {
  return valueOf(packLatencyTrees(problem, Protocol::low_latency));
}

} // namespace

TEST_CASE("latency trees span and are nearly as early as any tree") {
  std::minstd_rand random(7);
  double sum = 0, leastSum = 0;
  for (int trial = 0; trial < 150; ++trial) {
    CAPTURE(trial);
    int n = 2 + trial % 4, root = trial % n;
    double child = double(trial % 3) / 4;
    CostMatrix costs(n * n, kInfinity);
    for (double &cost : costs)
      if (int(random() % 100) >= trial % 60)
        cost = 1 + double(random() % 5) / 4;
    double least = leastTime(costs, n, root, child);
    TimedTree tree = LatencyTrees(costs, n, child).find(root);
    CHECK(tree.parents.empty() == (least == kInfinity));
    if (tree.parents.empty())
      continue;
    REQUIRE(spans(tree.parents, root));
    CHECK(tree.time ==
          doctest::Approx(timeBelow(costs, tree.parents, root, child)));
    CHECK(tree.time >= least - 1e-9);
    CHECK(tree.time <= 1.5 * least);
    sum += tree.time;
    leastSum += least;
    // Parents come before children, and each vertex once.
    std::vector<bool> seen(n, false);
    seen[root] = true;
    for (int vertex : tree.order) {
      CHECK(seen[tree.parents[vertex]]);
      CHECK_FALSE(seen[vertex]);
      seen[vertex] = true;
    }
    CHECK(tree.order.size() == size_t(n - 1));
  }
  CHECK(sum <= 1.01 * leastSum);
}

TEST_CASE("where all hops are alike, latency trees are optimal") {
  for (int n : {2, 3, 8, 16, 31, 64, 100})
    for (double child : {0.25, 0.5, 1.0}) {
      CAPTURE(n);
      CAPTURE(child);
      double hop = 1.5;
      TimedTree tree =
          LatencyTrees(CostMatrix(n * n, hop), n, child).find(n / 2);
      REQUIRE(spans(tree.parents, n / 2));
      REQUIRE(tree.time < 15); // counting takes exponential time
      CHECK(mostReached(tree.time, hop, child) >= n);
      CHECK(mostReached(tree.time - child / 2, hop, child) < n);
    }
}

TEST_CASE("a star while children cost nothing, a tree when they are many") {
  auto childrenOfRoot = [](int n, double child) {
    TimedTree tree = LatencyTrees(CostMatrix(n * n, 2.0), n, child).find(0);
    return std::count(tree.parents.begin(), tree.parents.end(), 0);
  };
  CHECK(childrenOfRoot(40, 0) == 39);
  CHECK(childrenOfRoot(8, 0.25) == 7);
  CHECK(childrenOfRoot(40, 0.25) < 20);
}

TEST_CASE("one tree a block, valid, and the least of all roots") {
  for (const char *name : {"dgx1", "dgx2", "dgx-a100", "mi250", "pcie-8gpu"}) {
    CAPTURE(name);
    RankTopology rankTopology = rankTopologyOf(shippedTopology(name));
    size_t n = rankTopology.numRanks();
    for (Collective collective :
         {Collective::allgather, Collective::reducescatter})
      CHECK(latencyPacking({&rankTopology, collective, 0}).trees.size() == n);
    Packing both = latencyPacking({&rankTopology, Collective::allreduce, 0});
    REQUIRE(both.trees.size() == 1);
    double least = kInfinity;
    for (int root = 0; root < int(n); ++root) {
      double time = 0;
      for (Collective half : {Collective::reduce, Collective::broadcast}) {
        PackingProblem problem{&rankTopology, half, root};
        Packing one = latencyPacking(problem);
        REQUIRE(one.trees.size() == 1);
        CHECK(one.trees[0].root == root);
        time += startAlong(problem, one, Protocol::low_latency);
      }
      if (time < least * (1 - 1e-9)) {
        least = time;
        CHECK(root <= both.trees[0].root);
      }
    }
    PackingProblem problem{&rankTopology, Collective::allreduce, 0};
    CHECK(startAlong(problem, both, Protocol::low_latency) ==
          doctest::Approx(least));
  }
}

TEST_CASE("what is routed goes by the fastest chains") {
  for (const char *name : {"dgx1", "dgx-a100", "mi250", "pcie-8gpu"}) {
    CAPTURE(name);
    RankTopology rankTopology = rankTopologyOf(shippedTopology(name));
    const int n = rankTopology.numRanks();
    const CostMatrix hops =
        rankTopology
            .cheapestPaths(
                hopPrices(rankTopology, costsOf(Protocol::low_latency)))
            .costs;
    // Floyd-Warshall: the fastest chain for each pair.
    CostMatrix fastest = hops;
    for (int via = 0; via < n; ++via)
      for (int from = 0; from < n; ++from)
        for (int to = 0; to < n; ++to)
          fastest[from * n + to] =
              std::min(fastest[from * n + to],
                       fastest[from * n + via] + fastest[via * n + to]);
    for (Collective collective :
         {Collective::gather, Collective::scatter, Collective::alltoall}) {
      const int root = n - 1;
      const Packing packing = latencyPacking({&rankTopology, collective, root});
      CHECK(packing.trees.size() ==
            (collective == Collective::alltoall ? size_t(n) : 1));
      for (const Tree &tree : packing.trees) {
        const bool up = collective == Collective::gather;
        CHECK((up ? tree.down : tree.up).empty());
        // The neighbour of each rank towards the root.
        std::vector<int> next(n, -1);
        for (const TreeEdge &edge : up ? tree.up : tree.down)
          next[up ? edge.from : edge.to] = up ? edge.to : edge.from;
        for (int rank = 0; rank < n; ++rank) {
          double time = 0;
          for (int at = rank; at != tree.root; at = next[at]) {
            REQUIRE(next[at] >= 0);
            time += up ? hops[at * n + next[at]] : hops[next[at] * n + at];
          }
          if (rank != tree.root)
            CHECK(time == doctest::Approx(up ? fastest[rank * n + tree.root]
                                             : fastest[tree.root * n + rank]));
        }
      }
    }
  }
}

TEST_CASE("small messages start no later than on the packed trees") {
  for (const char *name : {"dgx1", "dgx2", "dgx-h100", "mi250"})
    for (Collective collective : {Collective::allreduce, Collective::broadcast,
                                  Collective::allgather}) {
      CAPTURE(name);
      RankTopology rankTopology = rankTopologyOf(shippedTopology(name));
      PackingProblem problem{&rankTopology, collective, 0};
      Packing packed = valueOf(packTrees(problem)).packing;
      Packing small = latencyPacking(problem);
      CHECK(startAlong(problem, small, Protocol::low_latency) <=
            startAlong(problem, packed, Protocol::low_latency) * (1 + 1e-9));
      CHECK(small.algbw <= packed.algbw * (1 + 1e-9));
    }
}

TEST_CASE("a path over a relay costs a step more") {
  Topology topology = makeTopology(
      R"({"id": "a", "kind": "gpu"}, {"id": "b", "kind": "gpu"},
         {"id": "r", "kind": "gpu"})",
      R"({"from": "a", "to": "b", "bandwidth": 1, "latency": 1.5, "kind": "nvlink"},
         {"from": "a", "to": "r", "bandwidth": 9, "latency": 0.5, "kind": "nvlink"},
         {"from": "r", "to": "b", "bandwidth": 9, "latency": 0.5, "kind": "nvlink"})");
  RankTopology rankTopology =
      valueOf(RankTopology::create(topology, {0, 1}, LinkKindSet::all(), {2}));
  PackingProblem problem{&rankTopology, Collective::broadcast, 0};
  Packing packing = latencyPacking(problem);
  CHECK(packing.trees[0].down[0].path == pathOver(topology, {"a", "b"}));
  // One step and the link.
  CHECK(startAlong(problem, packing, Protocol::low_latency) ==
        doctest::Approx(2.5));
  packing.trees[0].down[0].path = pathOver(topology, {"a", "r", "b"});
  CHECK(startAlong(problem, packing, Protocol::low_latency) ==
        doctest::Approx(3.0));
  CHECK(startAlong(problem, packing, Protocol::simple) == doctest::Approx(5.0));
}
