//===- LowTree.cpp - a cheap arborescence of bounded depth ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/LowTree.h"

#include <limits>
#include <tuple>

using namespace blink;

Parents blink::lowTree(const CostMatrix &costs, int n, int root, int maxDepth) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Parents parents(n, -1);
  std::vector<double> reach(n, kInfinity); // cheapest edge from the tree
  std::vector<int> depth(n, n);            // of the vertex if added now
  std::vector<bool> inTree(n, false);
  depth[root] = 0;
  for (int added = root, count = 1;; ++count) {
    inTree[added] = true;
    if (count == n)
      return parents;
    if (depth[added] < maxDepth)
      for (int to = 0; to < n; ++to) {
        double cost = costs[added * n + to];
        if (inTree[to] || cost == kInfinity ||
            std::make_tuple(cost, depth[added] + 1) >=
                std::make_tuple(reach[to], depth[to]))
          continue;
        reach[to] = cost;
        depth[to] = depth[added] + 1;
        parents[to] = added;
      }
    added = -1;
    for (int to = 0; to < n; ++to)
      if (!inTree[to] && parents[to] >= 0 &&
          (added < 0 || std::make_tuple(reach[to], depth[to]) <
                            std::make_tuple(reach[added], depth[added])))
        added = to;
    if (added < 0)
      return {};
  }
}
