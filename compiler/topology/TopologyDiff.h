//===- TopologyDiff.h - what one machine lacks of another -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_TOPOLOGYDIFF_H
#define BLINK_COMPILER_TOPOLOGY_TOPOLOGYDIFF_H

#include "compiler/topology/Topology.h"

namespace blink {

/// Links of one kind between two nodes, or from one to the other, that changed.
struct LinkChange {
  std::string from, to; ///< node ids
  LinkKind kind;
  bool directed;        ///< only from `from` to `to`; otherwise each way alike
  double before, after; ///< GB/s of a direction, all of them together; 0: none
};

struct TopologyDiff {
  std::vector<std::string> gone, added; ///< ids of nodes, in file order
  std::vector<LinkChange> links;        ///< the largest part lost first
};

/// Compares two machines whose nodes have the same ids. Rates that differ by no
/// more than `tolerance`, relative to `before`, are the same; latencies, names,
/// orders and NICs' devices do not count.
TopologyDiff diffTopologies(const Topology &before, const Topology &after,
                            double tolerance);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_TOPOLOGYDIFF_H
