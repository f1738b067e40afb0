//===- TopologyDiff.h - differences between two machines --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_TOPOLOGYDIFF_H
#define BLINK_COMPILER_TOPOLOGY_TOPOLOGYDIFF_H

#include "compiler/topology/Topology.h"

namespace blink {

/// Links of one kind between two nodes whose rate changed, in both directions
/// or in one.
struct LinkChange {
  std::string from, to; ///< Node ids.
  LinkKind kind;
  /// True: only from `from` to `to`; false: both directions, with equal rates.
  bool directed;
  /// GB/s of one direction, all parallel links together; 0: no link.
  double before, after;
};

/// A node of another kind, or a switch with other abilities.
struct NodeChange {
  std::string id;
  Node before, after;
  /// Whether the node lost something: its kind, or an ability.
  bool isWorse() const {
    return before.kind != after.kind || before.multicast > after.multicast ||
           before.reduce > after.reduce;
  }
};

struct TopologyDiff {
  std::vector<std::string> gone, added; ///< Ids of nodes, in file order.
  std::vector<NodeChange> nodes;        ///< In the order of `before`.
  /// Sorted: the link that lost the largest part of its rate first.
  std::vector<LinkChange> links;
};

/// Compares two machines; nodes correspond by their ids. Rates that differ by
/// no more than `tolerance`, relative to `before`, count as equal. Latencies,
/// names, the order of nodes and links, and NICs' devices are not compared.
TopologyDiff diffTopologies(const Topology &before, const Topology &after,
                            double tolerance);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_TOPOLOGYDIFF_H
