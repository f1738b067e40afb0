//===- MinArborescenceTest.cpp ----------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Compares the arborescence solvers with enumeration.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/trees/LowTree.h"
#include "compiler/packing/trees/SparseArborescence.h"
#include "compiler/support/Infinity.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

using namespace blink;

namespace {

/// Returns the number of edges to the root, or -1 if the vertex does not reach
/// it.
int depthOf(const Parents &parents, int root, int vertex) {
  int depth = 0;
  for (; vertex != root; vertex = parents[vertex], ++depth)
    if (parents[vertex] < 0 || depth > static_cast<int>(parents.size()))
      return -1;
  return depth;
}

bool spans(const Parents &parents, int root) {
  for (size_t vertex = 0; vertex < parents.size(); ++vertex)
    if (depthOf(parents, root, static_cast<int>(vertex)) < 0)
      return false;
  return !parents.empty() && parents[root] == -1;
}

/// Returns the least cost of all spanning parent functions.
double bruteForce(const CostMatrix &costs, int n, int root) {
  double best = kInfinity;
  Parents parents(n, -1);
  std::function<void(int)> visit = [&](int vertex) {
    if (vertex == n) {
      if (spans(parents, root))
        best = std::min(best, costOf(costs, parents));
      return;
    }
    if (vertex == root)
      return visit(vertex + 1);
    for (int from = 0; from < n; ++from)
      if (from != vertex) {
        parents[vertex] = from;
        visit(vertex + 1);
      }
    parents[vertex] = -1;
  };
  visit(0);
  return best;
}

CostMatrix randomCosts(std::minstd_rand &random, int n, int range,
                       int missing) {
  CostMatrix costs(n * n);
  for (double &cost : costs)
    cost = int(random() % 100) < missing ? kInfinity : random() % range;
  return costs;
}

} // namespace

TEST_CASE("minArborescence is the cheapest of all, ties and zeros included") {
  std::minstd_rand random(1);
  for (int n = 1; n <= 5; ++n)
    for (int trial = 0; trial < 150; ++trial) {
      // A small range of costs makes cycles of zeros and ties, which contract
      // deeply.
      CostMatrix costs =
          randomCosts(random, n, trial % 2 ? 4 : 1000, trial % 3 * 25);
      int root = static_cast<int>(random() % n);
      Parents parents = minArborescence(costs, n, root);
      double best = bruteForce(costs, n, root);
      CAPTURE(n);
      CAPTURE(trial);
      CHECK(costOf(costs, parents) == best);
      CHECK(spans(parents, root) == (best < kInfinity));
    }
}

TEST_CASE("minArborescence contracts nested cycles of a larger graph") {
  // Cheap cycles within cycles; only expensive edges leave the root.
  std::minstd_rand random(2);
  int n = 40;
  for (int trial = 0; trial < 20; ++trial) {
    CostMatrix costs = randomCosts(random, n, 3, 0);
    for (int to = 0; to < n; ++to)
      costs[0 * n + to] = 1000 + random() % 10;
    Parents parents = minArborescence(costs, n, 0);
    CHECK(spans(parents, 0));
    int fromRoot = 0;
    for (int parent : parents)
      fromRoot += parent == 0;
    CHECK(fromRoot == 1);
    // A simple form of LP duality: exchanging a single edge must not help.
    double cost = costOf(costs, parents);
    for (int vertex = 1; vertex < n; ++vertex)
      for (int from = 0; from < n; ++from) {
        Parents other = parents;
        other[vertex] = from;
        if (from != vertex && spans(other, 0))
          CHECK(costOf(costs, other) >= cost);
      }
  }
}

TEST_CASE("heaps find as cheap an arborescence as matrices") {
  std::minstd_rand random(5);
  for (int trial = 0; trial < 400; ++trial) {
    CAPTURE(trial);
    const int n = 1 + trial % 40, root = int(random() % n);
    // From complete graphs to sparse ones, with many ties, and with cheap
    // cycles far from a root that only expensive edges leave.
    CostMatrix costs =
        randomCosts(random, n, trial % 2 ? 4 : 1000, trial % 8 * 12);
    if (trial % 5 == 0)
      for (int to = 0; to < n; ++to)
        costs[size_t(root) * n + to] += 5000;
    const Parents dense = minArborescence(costs, n, root);
    const Parents sparse =
        sparseArborescence(CostGraph(costs, n).reversed(), root);
    CHECK(sparse.empty() == dense.empty());
    CHECK(costOf(costs, sparse) == costOf(costs, dense));
    if (!sparse.empty())
      CHECK(spans(sparse, root));
  }
  // A chain of cycles, each of which encloses the one before.
  const int n = 30000;
  CostGraph into;
  for (int vertex = 0; vertex < n; ++vertex) {
    std::vector<CostGraph::Edge> edges;
    if (vertex > 0)
      edges.push_back({vertex - 1, double(vertex == 1 ? 7 : 2)});
    if (vertex + 1 < n && vertex > 0)
      edges.push_back({vertex + 1, 1});
    into.addVertex(edges);
  }
  CHECK(costOf(into.reversed(), minArborescence(into, 0)) == 7 + (n - 2) * 2.);
}

TEST_CASE("a graph of edges is its matrix") {
  std::minstd_rand random(6);
  for (int n = 1; n < 9; ++n) {
    CostMatrix costs = randomCosts(random, n, 9, 40);
    for (int vertex = 0; vertex < n; ++vertex)
      costs[size_t(vertex) * n + vertex] = kInfinity;
    const CostGraph graph(costs, n);
    const CostGraph reversed = graph.reversed();
    for (int from = 0; from < n; ++from)
      for (int to = 0; to < n; ++to) {
        CHECK(graph.cost(from, to) == costs[size_t(from) * n + to]);
        CHECK(reversed.cost(to, from) == costs[size_t(from) * n + to]);
      }
  }
}

TEST_CASE("on the reversed graph it finds the cheapest in-tree") {
  // 1 -> 0 and 2 -> 1 are cheap; the opposite edges are expensive.
  CostMatrix costs{0, 9, 9, 1, 0, 9, 5, 1, 0};
  const CostGraph graph(costs, 3);
  Parents in = minArborescence(graph, 0);
  CHECK(in == Parents{-1, 0, 1});
  CHECK(costOf(graph.reversed(), in) == 2);
  CHECK(costOf(costs, minArborescence(costs, 3, 0)) == 10); // 0->2->1
}

TEST_CASE("lowTree keeps to its depth, spans, and is not beaten when uncapped "
          "on symmetric costs") {
  std::minstd_rand random(3);
  for (int trial = 0; trial < 200; ++trial) {
    int n = 2 + static_cast<int>(random() % 6), root = int(random() % n);
    CostMatrix costs = randomCosts(random, n, 20, 0);
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < a; ++b)
        costs[a * n + b] = costs[b * n + a];
    for (int cap = 1; cap < n; ++cap) {
      Parents parents = lowTree(costs, n, root, cap);
      REQUIRE(spans(parents, root));
      for (int vertex = 0; vertex < n; ++vertex)
        CHECK(depthOf(parents, root, vertex) <= cap);
    }
    CHECK(costOf(costs, lowTree(costs, n, root, n)) ==
          costOf(costs, minArborescence(costs, n, root)));
  }
}

TEST_CASE("lowTree says so when the depth does not suffice") {
  double none = kInfinity;
  CostMatrix chain{0, 1, none, none, 0, 1, none, none, 0};
  CHECK(lowTree(chain, 3, 0, 1).empty());
  CHECK(lowTree(chain, 3, 0, 2) == Parents{-1, 0, 1});
}
