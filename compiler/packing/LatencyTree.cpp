//===- LatencyTree.cpp - trees for small messages -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/LatencyTree.h"

#include "compiler/packing/LowTree.h"
#include "compiler/packing/PackTrees.h"

#include <algorithm>
#include <cstddef>
#include <limits>

using namespace blink;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// A tree is worth changing for this much less, relative: not for rounding.
constexpr double kEarlier = 1 - 1e-9;
/// Larger trees are not improved: a sweep takes cubic time.
constexpr int kMostImproved = 32;

/// Adds the vertex that can be reached first, again and again.
Parents growEarliest(const CostMatrix &costs, int n, int root, double child) {
  Parents parents(n, -1);
  std::vector<double> ready(n, kInfinity); // to serve its next child
  std::vector<bool> inside(n, false);
  inside[root] = true;
  ready[root] = 0;
  auto reach = [&](int from, int to) {
    return ready[from] + costs[size_t(from) * n + to];
  };
  for (int vertex = 0; vertex < n; ++vertex)
    if (vertex != root && reach(root, vertex) < kInfinity)
      parents[vertex] = root; // the best so far, while outside
  for (int count = 1; count < n; ++count) {
    int next = -1;
    for (int vertex = 0; vertex < n; ++vertex)
      if (!inside[vertex] && parents[vertex] >= 0 &&
          (next < 0 ||
           reach(parents[vertex], vertex) < reach(parents[next], next)))
        next = vertex;
    if (next < 0)
      return {};
    int server = parents[next];
    ready[next] = reach(server, next);
    ready[server] += child;
    inside[next] = true;
    for (int vertex = 0; vertex < n; ++vertex) {
      if (inside[vertex])
        continue;
      if (parents[vertex] == server) // now busy: look again
        for (int from = 0; from < n; ++from)
          if (inside[from] &&
              reach(from, vertex) < reach(parents[vertex], vertex))
            parents[vertex] = from;
      if (reach(next, vertex) < kInfinity &&
          (parents[vertex] < 0 ||
           reach(next, vertex) < reach(parents[vertex], vertex)))
        parents[vertex] = next;
    }
  }
  return parents;
}

bool isBelow(const Parents &parents, int vertex, int top) {
  while (vertex >= 0 && vertex != top)
    vertex = parents[vertex];
  return vertex == top;
}

/// The vertex that `tree` reaches last.
int lastOf(const CostMatrix &costs, const TimedTree &tree, double child) {
  int n = static_cast<int>(tree.parents.size()), last = -1;
  std::vector<double> reached(n, 0);
  std::vector<int> served(n, 0);
  for (int vertex : tree.order) {
    int parent = tree.parents[vertex];
    reached[vertex] = reached[parent] + child * served[parent]++ +
                      costs[size_t(parent) * n + vertex];
    if (last < 0 || reached[vertex] > reached[last])
      last = vertex;
  }
  return last;
}

/// Hangs a vertex of the slowest way below another parent where that makes the
/// whole faster; false if no such change does.
bool improve(const CostMatrix &costs, int n, int root, double child,
             TimedTree &tree) {
  TimedTree best = tree;
  for (int vertex = lastOf(costs, tree, child); vertex != root;
       vertex = tree.parents[vertex])
    for (int from = 0; from < n; ++from) {
      if (from == tree.parents[vertex] ||
          costs[size_t(from) * n + vertex] == kInfinity ||
          isBelow(tree.parents, from, vertex))
        continue;
      Parents changed = tree.parents;
      changed[vertex] = from;
      TimedTree candidate = timeTree(costs, changed, root, child);
      if (candidate.time < best.time * kEarlier)
        best = std::move(candidate);
    }
  bool better = best.time < tree.time * kEarlier;
  tree = std::move(best);
  return better;
}

} // namespace

TimedTree blink::timeTree(const CostMatrix &costs, const Parents &parents,
                          int root, double child) {
  int n = static_cast<int>(parents.size());
  std::vector<std::vector<int>> children(n);
  for (int vertex = 0; vertex < n; ++vertex)
    if (vertex != root)
      children[parents[vertex]].push_back(vertex);
  // What is left to do from the moment a vertex is served, or reached.
  std::vector<double> served(n, 0), reached(n, 0);
  std::vector<int> up = breadthFirst(parents, root);
  std::reverse(up.begin(), up.end());
  for (int vertex : up) {
    std::vector<int> &list = children[vertex];
    std::stable_sort(list.begin(), list.end(),
                     [&](int a, int b) { return served[a] > served[b]; });
    for (size_t i = 0; i < list.size(); ++i)
      reached[vertex] =
          std::max(reached[vertex], child * double(i) + served[list[i]]);
    if (vertex != root)
      served[vertex] =
          costs[size_t(parents[vertex]) * n + vertex] + reached[vertex];
  }
  TimedTree tree;
  tree.parents = parents;
  tree.time = reached[root];
  tree.order = children[root];
  for (size_t next = 0; next < tree.order.size(); ++next) {
    const std::vector<int> &list = children[tree.order[next]];
    tree.order.insert(tree.order.end(), list.begin(), list.end());
  }
  return tree;
}

TimedTree blink::latencyTree(const CostMatrix &costs, int n, int root,
                             double child) {
  Parents parents = growEarliest(costs, n, root, child);
  if (parents.empty())
    return {};
  TimedTree tree = timeTree(costs, parents, root, child);
  if (n <= kMostImproved)
    while (improve(costs, n, root, child, tree))
      ;
  return tree;
}

llvm::Expected<Packing> blink::packLatencyTrees(const PackingProblem &problem,
                                                Protocol protocol) {
  if (llvm::Error error = problem.check())
    return error;
  const Fabric &fabric = *problem.fabric;
  int n = fabric.numRanks();
  double child = costsOf(protocol).child;
  PathTable table = fabric.cheapestPaths(hopPrices(fabric, costsOf(protocol)));
  CostMatrix back = transposed(table.costs, n);

  auto treeOf = [&](int root, double &time) {
    Tree tree;
    tree.root = root;
    time = 0;
    if (n == 1)
      return tree;
    if (hasUpTrees(problem.collective)) {
      TimedTree up = latencyTree(back, n, root, child);
      time += up.time;
      for (auto vertex = up.order.rbegin(); vertex != up.order.rend(); ++vertex)
        tree.up.push_back({*vertex, up.parents[*vertex],
                           table.path(*vertex, up.parents[*vertex])});
    }
    if (hasDownTrees(problem.collective)) {
      TimedTree down = latencyTree(table.costs, n, root, child);
      time += down.time;
      for (int vertex : down.order)
        tree.down.push_back({down.parents[vertex], vertex,
                             table.path(down.parents[vertex], vertex)});
    }
    return tree;
  };

  Packing packing;
  double time = 0;
  if (numBlocks(problem.collective, n) > 1 || n == 1) {
    for (int root = 0; root < n; ++root)
      packing.trees.push_back(treeOf(root, time));
  } else if (isRooted(problem.collective)) {
    packing.trees.push_back(treeOf(problem.root, time));
  } else {
    double least = kInfinity;
    for (int root = 0; root < n; ++root) {
      Tree tree = treeOf(root, time);
      if (time < least * kEarlier || packing.trees.empty()) {
        least = time;
        packing.trees = {std::move(tree)};
      }
    }
  }
  llvm::Expected<Shares> shares = exactShares(problem, packing);
  if (!shares)
    return shares.takeError();
  packing.algbw = rateOfShares(problem, packing, *shares);
  for (Tree &tree : packing.trees)
    tree.weight =
        n == 1 ? 0 : packing.algbw / blocksOfBuffer(problem.collective, n);
  if (llvm::Error error = problem.verify(packing))
    return error;
  return packing;
}
