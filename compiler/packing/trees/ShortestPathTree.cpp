//===- ShortestPathTree.cpp - cheapest chains from one root ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/trees/ShortestPathTree.h"

#include "compiler/packing/trees/LowTree.h"
#include "compiler/support/Infinity.h"
#include "compiler/support/Numbers.h"

#include <algorithm>
#include <cstddef>

using namespace blink;

namespace {

/// The extra cost of a hop begins at this part of the mean cost of an edge...
constexpr double kFirstExtra = 1e-3;
/// ... and grows by this factor.
constexpr double kMoreExtra = 8;
constexpr int kMostTries = 6;

Parents search(const CostMatrix &costs, int n, int root, double extra) {
  Parents parents(n, -1);
  std::vector<double> distance(n, kInfinity);
  std::vector<int> hops(n, 0);
  std::vector<int> open = firstNumbers(n); // not settled, ascending
  open.erase(open.begin() + root);
  distance[root] = 0;
  for (int next = root; !open.empty();) {
    const double *row = &costs[size_t(next) * n];
    const int hopsThrough = hops[next] + 1;
    size_t nearest = 0;
    for (size_t at = 0; at < open.size(); ++at) {
      const int to = open[at];
      const double through = distance[next] + row[to] + extra;
      if (through < distance[to] ||
          (through == distance[to] && through < kInfinity &&
           hopsThrough < hops[to])) {
        distance[to] = through;
        hops[to] = hopsThrough;
        parents[to] = next;
      }
      const int best = open[nearest];
      if (distance[to] < distance[best] ||
          (distance[to] == distance[best] && hops[to] < hops[best]))
        nearest = at;
    }
    next = open[nearest];
    if (!(distance[next] < kInfinity))
      return {};
    open.erase(open.begin() + static_cast<ptrdiff_t>(nearest));
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

Parents blink::shortestPathTree(const CostMatrix &costs, int n, int root) {
  return search(costs, n, root, 0);
}

Parents blink::lowShortestPathTree(const CostMatrix &costs, int n, int root,
                                   int maxDepth) {
  Parents parents = shortestPathTree(costs, n, root);
  if (parents.empty() || depthOf(parents, root) <= maxDepth)
    return parents;
  double sum = 0;
  size_t edges = 0;
  for (double cost : costs)
    if (cost < kInfinity) {
      sum += cost;
      ++edges;
    }
  double extra = sum / double(edges) * kFirstExtra;
  for (int attempt = 0; attempt < kMostTries; ++attempt, extra *= kMoreExtra) {
    parents = search(costs, n, root, extra);
    if (depthOf(parents, root) <= maxDepth)
      return parents;
  }
  return {};
}

double blink::sumOfDistances(const CostMatrix &costs, const Parents &parents,
                             int root) {
  if (parents.empty())
    return kInfinity;
  size_t n = parents.size();
  std::vector<double> distance(n, 0.0);
  double sum = 0;
  for (int vertex : breadthFirst(parents, root))
    if (vertex != root) {
      distance[vertex] = distance[parents[vertex]] +
                         costs[size_t(parents[vertex]) * n + vertex];
      sum += distance[vertex];
    }
  return sum;
}
