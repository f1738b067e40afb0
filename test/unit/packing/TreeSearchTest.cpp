//===- TreeSearchTest.cpp ---------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Low trees and trees of shortest paths, compared with simple computations.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/trees/LowTree.h"
#include "compiler/packing/trees/ShortestPathTree.h"
#include "compiler/support/Infinity.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <random>

using namespace blink;

namespace {

/// Returns edges with costs from 0 to 1, some 0 and many equal; `missing`
/// percent are missing.
CostMatrix randomCosts(std::minstd_rand &random, int n, int missing) {
  CostMatrix costs(n * n, kInfinity);
  for (int edge = 0; edge < n * n; ++edge)
    if (int(random() % 100) >= missing)
      costs[edge] = double(random() % 5) / 4;
  return costs;
}

/// Returns the depth of each vertex; checks that `parents` is an arborescence.
std::vector<int> depthsOf(const Parents &parents, const CostMatrix &costs,
                          int root) {
  int n = static_cast<int>(parents.size());
  std::vector<int> depths(n, 0);
  for (int vertex = 0; vertex < n; ++vertex) {
    CHECK((parents[vertex] < 0) == (vertex == root));
    for (int at = vertex; at != root && depths[vertex] <= n; at = parents[at])
      ++depths[vertex];
    CHECK(depths[vertex] < n); // no cycle
    if (vertex != root)
      CHECK(costs[parents[vertex] * n + vertex] < kInfinity);
  }
  return depths;
}

/// Returns hops and costs between all vertices, by relaxation.
CostMatrix distancesOf(CostMatrix costs, int n) {
  for (int vertex = 0; vertex < n; ++vertex)
    costs[vertex * n + vertex] = 0;
  for (int via = 0; via < n; ++via)
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b)
        costs[a * n + b] =
            std::min(costs[a * n + b], costs[a * n + via] + costs[via * n + b]);
  return costs;
}

int farthest(const CostMatrix &costs, int n, int root) {
  CostMatrix hops = costs;
  for (double &hop : hops)
    hop = hop < kInfinity ? 1 : kInfinity;
  hops = distancesOf(hops, n);
  double most = 0;
  for (int to = 0; to < n; ++to)
    most = std::max(most, hops[root * n + to]);
  return most < kInfinity ? static_cast<int>(most) : -1;
}

} // namespace

TEST_CASE("low trees span, are as low as asked, and cost no less than any") {
  std::minstd_rand random(1);
  for (int trial = 0; trial < 300; ++trial) {
    CAPTURE(trial);
    int n = 2 + trial % 9, root = trial % n;
    CostMatrix costs = randomCosts(random, n, trial % 70);
    int least = farthest(costs, n, root);
    for (int depth = 1; depth < n; ++depth) {
      Parents parents = lowTree(costs, n, root, depth);
      // A tree exists if and only if the depth is at least the farthest
      // vertex's distance.
      CHECK(parents.empty() == (least < 0 || depth < least));
      if (parents.empty())
        continue;
      std::vector<int> depths = depthsOf(parents, costs, root);
      CHECK(*std::max_element(depths.begin(), depths.end()) <= depth);
      CHECK(costOf(costs, parents) >=
            costOf(costs, minArborescence(costs, n, root)) - 1e-12);
    }
    if (least >= 0)
      CHECK(eccentricity({costs, n}, root) == least);
  }
}

TEST_CASE("a low tree of free depth is nearly the cheapest") {
  std::minstd_rand random(2);
  double low = 0, cheapest = 0;
  for (int trial = 0; trial < 200; ++trial) {
    int n = 4 + trial % 8;
    CostMatrix costs = randomCosts(random, n, 20);
    Parents parents = lowTree(costs, n, 0, n - 1);
    if (parents.empty())
      continue;
    low += costOf(costs, parents);
    cheapest += costOf(costs, minArborescence(costs, n, 0));
  }
  CHECK(low <= 1.1 * cheapest);
}

TEST_CASE("trees of shortest paths have the shortest paths") {
  std::minstd_rand random(3);
  for (int trial = 0; trial < 300; ++trial) {
    CAPTURE(trial);
    int n = 2 + trial % 9, root = trial % n;
    CostMatrix costs = randomCosts(random, n, trial % 70);
    for (double &cost : costs) // on any scale
      cost *= 1e-6;
    CostMatrix distances = distancesOf(costs, n);
    const CostGraph graph(costs, n);
    Parents parents = shortestPathTree(graph, root);
    double sum = 0;
    for (int to = 0; to < n; ++to)
      sum += distances[root * n + to];
    CHECK(parents.empty() == (sum == kInfinity));
    if (parents.empty())
      continue;
    depthsOf(parents, costs, root);
    CHECK(sumOfDistances(graph, parents, root) ==
          doctest::Approx(sum).epsilon(1e-12));
    for (int depth = 1; depth < n; ++depth) {
      Parents low = lowShortestPathTree(graph, root, depth);
      if (low.empty())
        continue;
      std::vector<int> depths = depthsOf(low, costs, root);
      CHECK(*std::max_element(depths.begin(), depths.end()) <= depth);
      CHECK(sumOfDistances(graph, low, root) >= sum * (1 - 1e-12));
    }
  }
}
