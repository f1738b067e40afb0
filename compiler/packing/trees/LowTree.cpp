//===- LowTree.cpp - a cheap arborescence of bounded depth ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/trees/LowTree.h"

#include "compiler/support/Infinity.h"

#include <algorithm>
#include <cstddef>

using namespace blink;

namespace {

constexpr int kMostSweeps = 4;
/// An edge is worth changing for this much less, relative: not for rounding.
constexpr double kCheaper = 1 - 1e-9;

/// Prim's method with a limit on depth.
Parents growCheapest(const CostMatrix &costs, int n, int root, int maxDepth) {
  Parents parents(n, -1);
  std::vector<double> reach(n, kInfinity); // cheapest edge from the tree
  std::vector<int> depth(n, n);            // of the vertex if added now
  std::vector<int> outside;                // of the tree
  for (int vertex = 0; vertex < n; ++vertex)
    if (vertex != root)
      outside.push_back(vertex);
  depth[root] = 0;
  for (int added = root; !outside.empty();) {
    size_t next = outside.size();
    const double *row = &costs[size_t(added) * n];
    for (size_t at = 0; at < outside.size(); ++at) {
      int to = outside[at];
      if (depth[added] < maxDepth &&
          (row[to] < reach[to] ||
           (row[to] == reach[to] && row[to] < kInfinity &&
            depth[added] + 1 < depth[to]))) {
        reach[to] = row[to];
        depth[to] = depth[added] + 1;
        parents[to] = added;
      }
      if (parents[to] >= 0 &&
          (next == outside.size() || reach[to] < reach[outside[next]] ||
           (reach[to] == reach[outside[next]] &&
            depth[to] < depth[outside[next]])))
        next = at;
    }
    if (next == outside.size())
      return {};
    added = outside[next];
    outside.erase(outside.begin() + static_cast<std::ptrdiff_t>(next));
  }
  return parents;
}

/// Every vertex as near to the root as can be, then by the cheapest edge.
Parents growLowest(const CostMatrix &costs, int n, int root, int maxDepth) {
  Parents parents(n, -1);
  std::vector<int> outside, layer{root};
  for (int vertex = 0; vertex < n; ++vertex)
    if (vertex != root)
      outside.push_back(vertex);
  for (int depth = 0; depth < maxDepth && !outside.empty(); ++depth) {
    std::vector<int> next, rest;
    for (int to : outside) {
      double least = kInfinity;
      for (int from : layer)
        if (costs[size_t(from) * n + to] < least) {
          least = costs[size_t(from) * n + to];
          parents[to] = from;
        }
      (parents[to] >= 0 ? next : rest).push_back(to);
    }
    layer = std::move(next);
    outside = std::move(rest);
  }
  return outside.empty() ? parents : Parents();
}

/// Hangs vertices below cheaper parents while nothing gets too deep.
class Improvement {
public:
  Improvement(const CostMatrix &costs, int n, int root, int maxDepth,
              Parents &parents)
      : costs_(costs), n_(n), root_(root), maxDepth_(maxDepth),
        parents_(parents) {}

  void run() {
    measure();
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      bool changed = false;
      for (int vertex = 0; vertex < n_; ++vertex)
        changed |= vertex != root_ && hangCheaper(vertex);
      if (!changed)
        return;
    }
  }

private:
  void measure() {
    depth_.assign(n_, 0);
    height_.assign(n_, 0);
    std::vector<int> order = breadthFirst(parents_, root_);
    for (int vertex : order)
      if (vertex != root_)
        depth_[vertex] = depth_[parents_[vertex]] + 1;
    for (auto vertex = order.rbegin(); *vertex != root_; ++vertex)
      height_[parents_[*vertex]] =
          std::max(height_[parents_[*vertex]], height_[*vertex] + 1);
  }

  bool isBelow(int vertex, int top) const {
    while (vertex != top && vertex != root_)
      vertex = parents_[vertex];
    return vertex == top;
  }

  bool hangCheaper(int vertex) {
    double least = costs_[size_t(parents_[vertex]) * n_ + vertex] * kCheaper;
    int best = -1;
    for (int from = 0; from < n_; ++from)
      if (costs_[size_t(from) * n_ + vertex] < least && from != vertex &&
          depth_[from] + 1 + height_[vertex] <= maxDepth_ &&
          !isBelow(from, vertex)) {
        least = costs_[size_t(from) * n_ + vertex];
        best = from;
      }
    if (best < 0)
      return false;
    parents_[vertex] = best;
    measure();
    return true;
  }

  const CostMatrix &costs_;
  int n_, root_, maxDepth_;
  Parents &parents_;
  std::vector<int> depth_, height_;
};

} // namespace

Parents blink::lowTree(const CostMatrix &costs, int n, int root, int maxDepth) {
  Parents cheapest = growCheapest(costs, n, root, maxDepth);
  Parents lowest = growLowest(costs, n, root, maxDepth);
  for (Parents *parents : {&cheapest, &lowest})
    if (!parents->empty())
      Improvement(costs, n, root, maxDepth, *parents).run();
  bool takeLowest = costOf(costs, lowest) < costOf(costs, cheapest) * kCheaper;
  return takeLowest ? lowest : cheapest;
}

int blink::eccentricity(const CostMatrix &costs, int n, int root) {
  std::vector<int> outside, layer{root};
  for (int vertex = 0; vertex < n; ++vertex)
    if (vertex != root)
      outside.push_back(vertex);
  for (int depth = 0;; ++depth) {
    std::vector<int> next, rest;
    for (int to : outside) {
      bool reached = std::any_of(layer.begin(), layer.end(), [&](int from) {
        return costs[size_t(from) * n + to] < kInfinity;
      });
      (reached ? next : rest).push_back(to);
    }
    if (next.empty())
      return depth;
    layer = std::move(next);
    outside = std::move(rest);
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
