//===- TopologicalOrder.h - Kahn's algorithm --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_TOPOLOGICALORDER_H
#define BLINK_COMPILER_VERIFY_TOPOLOGICALORDER_H

#include <cstdint>
#include <vector>

namespace blink::verify {

/// Orders nodes 0 .. count - 1 such that every edge goes forward.
/// `forEachSuccessor(node, visit)` calls `visit(successor)` for each edge out
/// of `node`. Nodes on a cycle, and nodes reachable from one, are left out: the
/// result is shorter than `count` exactly if there is a cycle. Linear in nodes
/// and edges; deterministic.
template <typename ForEachSuccessor>
std::vector<uint32_t> topologicalOrder(uint32_t count,
                                       ForEachSuccessor forEachSuccessor) {
  std::vector<uint32_t> waitsFor(count, 0);
  for (uint32_t node = 0; node < count; ++node)
    forEachSuccessor(node, [&](uint32_t next) { ++waitsFor[next]; });

  std::vector<uint32_t> order;
  order.reserve(count);
  for (uint32_t node = 0; node < count; ++node)
    if (waitsFor[node] == 0)
      order.push_back(node);
  for (size_t at = 0; at < order.size(); ++at)
    forEachSuccessor(order[at], [&](uint32_t next) {
      if (--waitsFor[next] == 0)
        order.push_back(next);
    });
  return order;
}

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_TOPOLOGICALORDER_H
