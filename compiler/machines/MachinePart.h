//===- MachinePart.h - reduced machines for comparison ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A machine reduced to what its type describes: without NICs, which lead out of
// the machine, and without nodes that join nothing.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_MACHINES_MACHINEPART_H
#define BLINK_COMPILER_MACHINES_MACHINEPART_H

#include "compiler/topology/Topology.h"

#include "llvm/ADT/ArrayRef.h"

#include <map>

namespace blink {

/// GB/s of the links from one node to another, by kind.
using PairRates = std::map<LinkKind, double>;

struct MachinePart {
  /// Indices into Topology::nodes, by kind, GPUs first; within a kind in their
  /// order.
  std::vector<int> nodes;
  std::vector<NodeKind> kinds; ///< The kind of each node of the part.
  /// Rates by places in `nodes`; no entry if there are no links.
  std::map<std::pair<int, int>, PairRates> rates;

  int numNodes() const { return static_cast<int>(nodes.size()); }
  /// Returns the number of pairs of nodes with links, each pair counted once.
  int numPairs() const;
  /// Returns the highest rate between two nodes over links of a kind in GB/s; 0
  /// if there are none.
  double fastest(LinkKind kind) const;
};

/// Returns the part of `topology` that is left after removing, until there are
/// none: NICs, GPUs that are not in `gpus` (numbers among the machine's GPUs,
/// ascending), other nodes with at most one neighbour, and PCIe switches that
/// only connect two neighbours. With `peerLinksOnly` only NVLinks, xGMI and C2C
/// links count.
MachinePart partOf(const Topology &topology, bool peerLinksOnly,
                   llvm::ArrayRef<int> gpus);
/// Returns the part with all GPUs.
MachinePart partOf(const Topology &topology, bool peerLinksOnly);

/// Returns, for each node, the least node with which it can be swapped without
/// a change anywhere else; the node itself if there is no lesser one.
std::vector<int> findTwins(const MachinePart &part);

} // namespace blink

#endif // BLINK_COMPILER_MACHINES_MACHINEPART_H
