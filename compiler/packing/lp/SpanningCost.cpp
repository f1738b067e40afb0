//===- SpanningCost.cpp - a lower bound on trees of many ranks ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/lp/SpanningCost.h"

#include "compiler/support/Infinity.h"

#include "llvm/ADT/IntEqClasses.h"

#include <algorithm>
#include <tuple>

using namespace blink;

double blink::spanningCost(const Symmetry &symmetry, const PathTable &paths) {
  const int n = paths.numRanks;
  std::vector<std::tuple<double, int, int>> edges;
  for (int from : symmetry.representatives())
    for (int to = 0; to < n; ++to)
      if (to != from && paths.cost(from, to) < kInfinity)
        edges.emplace_back(paths.cost(from, to), from, to);
  std::sort(edges.begin(), edges.end());
  llvm::IntEqClasses joined(static_cast<unsigned>(n));
  double sum = 0;
  int parts = n;
  for (const auto &[cost, from, to] : edges) {
    // If two ranks are joined, so are all images of the two.
    if (joined.findLeader(from) == joined.findLeader(to))
      continue;
    for (int element = 0; element < symmetry.order(); ++element) {
      const int a = symmetry.mapRank(element, from);
      const int b = symmetry.mapRank(element, to);
      if (joined.findLeader(a) == joined.findLeader(b))
        continue;
      joined.join(a, b);
      sum += cost;
      --parts;
    }
    if (parts == 1)
      return sum;
  }
  return n == 1 ? 0 : kInfinity;
}
