//===- LowTree.cpp - a cheap arborescence of bounded depth ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/trees/LowTree.h"

#include "compiler/support/Infinity.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <tuple>

using namespace blink;

namespace {

constexpr int kMostSweeps = 4;
/// A replacement edge must be cheaper by this factor, so that rounding changes
/// nothing.
constexpr double kCheaper = 1 - 1e-9;

/// Prim's algorithm with a limit on depth.
Parents growCheapest(const CostGraph &costs, int root, int maxDepth) {
  const int n = costs.numVertices();
  Parents parents(n, -1);
  std::vector<double> reach(n, kInfinity);      // cheapest edge from the tree
  std::vector<int> depth(n, n);                 // of the vertex if added now
  std::vector<bool> inside(n, false);           // in the tree
  using Reached = std::tuple<double, int, int>; // cost, depth, vertex
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> next;
  depth[root] = 0;
  int added = root;
  for (int left = n - 1; left > 0; --left) {
    inside[added] = true;
    if (depth[added] < maxDepth)
      for (const CostGraph::Edge &edge : costs.from(added)) {
        const int to = edge.end;
        if (inside[to] || edge.cost > reach[to] ||
            (edge.cost == reach[to] && depth[added] + 1 >= depth[to]))
          continue;
        reach[to] = edge.cost;
        depth[to] = depth[added] + 1;
        parents[to] = added;
        next.emplace(reach[to], depth[to], to);
      }
    while (!next.empty() && inside[std::get<2>(next.top())])
      next.pop(); // was added over a cheaper edge
    if (next.empty())
      return {};
    added = std::get<2>(next.top());
    next.pop();
  }
  return parents;
}

/// Puts every vertex as near to the root as possible, and on equal depth takes
/// the cheapest edge.
Parents growLowest(const CostGraph &costs, int root, int maxDepth) {
  const int n = costs.numVertices();
  Parents parents(n, -1);
  std::vector<double> least(n, kInfinity); // cost of edges from the layer above
  std::vector<bool> settled(n, false);     // in a finished layer
  std::vector<int> layer{root};
  settled[root] = true;
  int left = n - 1;
  for (int depth = 0; depth < maxDepth && left > 0; ++depth) {
    std::vector<int> next;
    for (int from : layer)
      for (const CostGraph::Edge &edge : costs.from(from)) {
        const int to = edge.end;
        if (settled[to] || !(edge.cost < least[to]))
          continue;
        if (parents[to] < 0)
          next.push_back(to);
        least[to] = edge.cost;
        parents[to] = from;
      }
    for (int vertex : next)
      settled[vertex] = true;
    std::sort(next.begin(), next.end());
    left -= static_cast<int>(next.size());
    layer = std::move(next);
  }
  return left == 0 ? parents : Parents();
}

/// Moves vertices to cheaper parents as long as no vertex gets too deep.
class Improvement {
public:
  Improvement(const CostGraph &into, int root, int maxDepth, Parents &parents)
      : into_(into), root_(root), maxDepth_(maxDepth), parents_(parents),
        depth_(parents.size(), 0), height_(parents.size(), 0),
        children_(parents.size()) {
    const std::vector<int> order = breadthFirst(parents, root);
    for (int vertex : order)
      if (vertex != root) {
        depth_[vertex] = depth_[parents[vertex]] + 1;
        children_[parents[vertex]].push_back(vertex);
      }
    for (auto vertex = order.rbegin(); *vertex != root; ++vertex)
      height_[parents[*vertex]] =
          std::max(height_[parents[*vertex]], height_[*vertex] + 1);
  }

  void run() {
    const auto n = static_cast<int>(parents_.size());
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      bool changed = false;
      for (int vertex = 0; vertex < n; ++vertex)
        changed |= vertex != root_ && hangCheaper(vertex);
      if (!changed)
        return;
    }
  }

private:
  bool isBelow(int vertex, int top) const {
    while (depth_[vertex] > depth_[top])
      vertex = parents_[vertex];
    return vertex == top;
  }

  bool hangCheaper(int vertex) {
    const llvm::ArrayRef<CostGraph::Edge> edges = into_.from(vertex);
    const int parent = parents_[vertex];
    double least = std::lower_bound(edges.begin(), edges.end(), parent,
                                    [](const CostGraph::Edge &edge, int from) {
                                      return edge.end < from;
                                    })
                       ->cost *
                   kCheaper;
    int best = -1;
    for (const CostGraph::Edge &edge : edges)
      if (edge.cost < least &&
          depth_[edge.end] + 1 + height_[vertex] <= maxDepth_ &&
          !isBelow(edge.end, vertex)) {
        least = edge.cost;
        best = edge.end;
      }
    if (best < 0)
      return false;
    std::vector<int> &siblings = children_[parent];
    siblings.erase(std::find(siblings.begin(), siblings.end(), vertex));
    children_[best].push_back(vertex);
    parents_[vertex] = best;
    sink(vertex, depth_[best] + 1);
    measureUp(parent);
    measureUp(best);
    return true;
  }

  /// Sets the depths of `vertex` and all vertices below it.
  void sink(int vertex, int depth) {
    depth_[vertex] = depth;
    std::vector<int> open{vertex};
    while (!open.empty()) {
      const int at = open.back();
      open.pop_back();
      for (int child : children_[at]) {
        depth_[child] = depth_[at] + 1;
        open.push_back(child);
      }
    }
  }

  /// Updates heights from `vertex` upwards, as far as they change.
  void measureUp(int vertex) {
    for (; vertex >= 0; vertex = parents_[vertex]) {
      int height = 0;
      for (int child : children_[vertex])
        height = std::max(height, height_[child] + 1);
      if (height == height_[vertex])
        return;
      height_[vertex] = height;
    }
  }

  const CostGraph &into_;
  int root_, maxDepth_;
  Parents &parents_;
  std::vector<int> depth_, height_;
  std::vector<std::vector<int>> children_;
};

} // namespace

Parents blink::lowTree(const CostGraph &costs, const CostGraph &into, int root,
                       int maxDepth) {
  Parents cheapest = growCheapest(costs, root, maxDepth);
  Parents lowest = growLowest(costs, root, maxDepth);
  for (Parents *parents : {&cheapest, &lowest})
    if (!parents->empty())
      Improvement(into, root, maxDepth, *parents).run();
  bool takeLowest = costOf(costs, lowest) < costOf(costs, cheapest) * kCheaper;
  return takeLowest ? lowest : cheapest;
}

int blink::eccentricity(const CostGraph &costs, int root) {
  std::vector<bool> seen(costs.numVertices(), false);
  std::vector<int> layer{root};
  seen[root] = true;
  for (int depth = 0;; ++depth) {
    std::vector<int> next;
    for (int from : layer)
      for (const CostGraph::Edge &edge : costs.from(from))
        if (!seen[edge.end]) {
          seen[edge.end] = true;
          next.push_back(edge.end);
        }
    if (next.empty())
      return depth;
    layer = std::move(next);
  }
}

std::vector<int> blink::breadthFirst(const Parents &parents, int root) {
  std::vector<std::vector<int>> children(parents.size());
  for (size_t vertex = 0; vertex < parents.size(); ++vertex)
    if (parents[vertex] >= 0)
      children[parents[vertex]].push_back(static_cast<int>(vertex));
  std::vector<int> order{root};
  for (size_t next = 0; next < order.size(); ++next)
    order.insert(order.end(), children[order[next]].begin(),
                 children[order[next]].end());
  return order;
}
