//===- TreeOrder.cpp - what comes before what in one tree -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Computes reachability for many pairs at once: one sweep follows 64 starting
// folds through the tree, with one bit of a word for each.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/TreeOrder.h"

#include "compiler/verify/TopologicalOrder.h"

#include <algorithm>

namespace blink::verify {

namespace {

/// Returns the positions of the tree's folds, each after those that it waits
/// for.
std::vector<uint32_t> orderOfTree(const FoldGraph &graph, uint32_t tree) {
  const Slice<uint32_t> folds = graph.foldsOf(tree);
  return topologicalOrder(
      static_cast<uint32_t>(folds.size()), [&](uint32_t node, auto visit) {
        const uint32_t next = graph.nextInTree(folds[node]);
        if (next != kNone)
          visit(graph.fold(next).inTree);
        for (const sched::Operand &operand : graph.destinations(folds[node]))
          if (operand.kind() == sched::OperandKind::channel)
            visit(graph.fold(graph.reader(operand.index())).inTree);
      });
}

} // namespace

size_t firstUnordered(const FoldGraph &graph, uint32_t tree,
                      const std::vector<OrderedPair> &pairs) {
  if (pairs.empty())
    return 0;
  const Slice<uint32_t> folds = graph.foldsOf(tree);
  const std::vector<uint32_t> order = orderOfTree(graph, tree);
  if (order.size() < folds.size())
    return 0;

  std::vector<uint32_t> starts;
  for (const OrderedPair &pair : pairs)
    starts.push_back(graph.fold(pair.before).inTree);
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());

  size_t first = pairs.size();
  std::vector<uint64_t> reached(folds.size());
  for (size_t batch = 0; batch < starts.size(); batch += 64) {
    const size_t batchEnd = std::min(batch + 64, starts.size());
    std::fill(reached.begin(), reached.end(), 0);
    for (size_t at = batch; at < batchEnd; ++at)
      reached[starts[at]] = uint64_t(1) << (at - batch);

    for (uint32_t node : order) {
      const uint32_t previous = graph.previousInTree(folds[node]);
      if (previous != kNone)
        reached[node] |= reached[graph.fold(previous).inTree];
      for (const sched::Operand &operand : graph.sources(folds[node]))
        if (operand.kind() == sched::OperandKind::channel)
          reached[node] |=
              reached[graph.fold(graph.writer(operand.index())).inTree];
    }

    for (size_t at = 0; at < first; ++at) {
      const size_t bit = std::lower_bound(starts.begin(), starts.end(),
                                          graph.fold(pairs[at].before).inTree) -
                         starts.begin();
      if (bit < batch || bit >= batchEnd)
        continue;
      if (!(reached[graph.fold(pairs[at].after).inTree] >> (bit - batch) & 1))
        first = at;
    }
  }
  return first;
}

} // namespace blink::verify
