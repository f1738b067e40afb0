//===- ShortestPathTree.cpp - cheapest chains from one root ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/trees/ShortestPathTree.h"

#include "compiler/packing/trees/LowTree.h"
#include "compiler/support/Infinity.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <tuple>

using namespace blink;

namespace {

/// The extra cost of a hop begins at this fraction of the mean cost of an
/// edge...
constexpr double kFirstExtra = 1e-3;
/// ... and grows by this factor.
constexpr double kMoreExtra = 8;
constexpr int kMostTries = 6;

Parents search(const CostGraph &costs, int root, double extra) {
  const int n = costs.numVertices();
  Parents parents(n, -1);
  std::vector<double> distance(n, kInfinity);
  std::vector<int> hops(n, 0);
  std::vector<bool> settled(n, false);
  using Reached = std::tuple<double, int, int>; // distance, hops, vertex
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> open;
  distance[root] = 0;
  int next = root;
  for (int left = n - 1; left > 0; --left) {
    settled[next] = true;
    const int hopsThrough = hops[next] + 1;
    for (const CostGraph::Edge &edge : costs.from(next)) {
      const int to = edge.end;
      const double through = distance[next] + edge.cost + extra;
      if (settled[to] || through > distance[to] ||
          (through == distance[to] && hopsThrough >= hops[to]))
        continue;
      distance[to] = through;
      hops[to] = hopsThrough;
      parents[to] = next;
      open.emplace(through, hopsThrough, to);
    }
    while (!open.empty() && settled[std::get<2>(open.top())])
      open.pop();
    if (open.empty())
      return {};
    next = std::get<2>(open.top());
    open.pop();
  }
  return parents;
}

int depthOf(const Parents &parents, int root) {
  std::vector<int> depth(parents.size(), 0);
  int deepest = 0;
  for (int vertex : breadthFirst(parents, root))
    if (vertex != root)
      deepest = std::max(deepest, depth[vertex] = depth[parents[vertex]] + 1);
  return deepest;
}

} // namespace

Parents blink::shortestPathTree(const CostGraph &costs, int root) {
  return search(costs, root, 0);
}

Parents blink::lowShortestPathTree(const CostGraph &costs, int root,
                                   int maxDepth) {
  Parents parents = shortestPathTree(costs, root);
  if (parents.empty() || depthOf(parents, root) <= maxDepth)
    return parents;
  // The mean counts the diagonal, whose cost is 0, as n edges.
  const int n = costs.numVertices();
  double sum = 0;
  for (int vertex = 0; vertex < n; ++vertex)
    for (const CostGraph::Edge &edge : costs.from(vertex))
      sum += edge.cost;
  double extra = sum / double(costs.numEdges() + size_t(n)) * kFirstExtra;
  for (int attempt = 0; attempt < kMostTries; ++attempt, extra *= kMoreExtra) {
    parents = search(costs, root, extra);
    if (depthOf(parents, root) <= maxDepth)
      return parents;
  }
  return {};
}

double blink::sumOfDistances(const CostGraph &costs, const Parents &parents,
                             int root) {
  if (parents.empty())
    return kInfinity;
  std::vector<double> distance(parents.size(), 0.0);
  double sum = 0;
  for (int vertex : breadthFirst(parents, root))
    if (vertex != root) {
      distance[vertex] =
          distance[parents[vertex]] + costs.cost(parents[vertex], vertex);
      sum += distance[vertex];
    }
  return sum;
}
