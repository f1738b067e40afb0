//===- MachinePart.h - what two machines are compared by --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A machine reduced to what its type says: without NICs, which lead out of it,
// and without nodes that join nothing.
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
  /// Indices of Topology::nodes: kind by kind, GPUs first, in their order.
  std::vector<int> nodes;
  std::vector<NodeKind> kinds; ///< per node of the part
  /// Links by places in `nodes`; no entry: there are none.
  std::map<std::pair<int, int>, PairRates> rates;

  int numNodes() const { return static_cast<int>(nodes.size()); }
  /// Pairs of nodes with links, each counted once.
  int numPairs() const;
  /// Most GB/s between two nodes over links of a kind; 0: there are none.
  double fastest(LinkKind kind) const;
};

/// The part that stays when NICs, GPUs but those of `gpus` (numbers among the
/// machine's GPUs, ascending) and other nodes with one neighbour at most are
/// taken away, and PCIe switches that have two neighbours, to which they only
/// pass on, until there are none. With `peerLinksOnly` of the
/// NVLinks, xGMI and C2C links alone.
MachinePart partOf(const Topology &topology, bool peerLinksOnly,
                   llvm::ArrayRef<int> gpus);
/// With all GPUs.
MachinePart partOf(const Topology &topology, bool peerLinksOnly);

/// Per node the least one that it can be swapped with, without a change
/// anywhere else; itself if there is none before it.
std::vector<int> findTwins(const MachinePart &part);

} // namespace blink

#endif // BLINK_COMPILER_MACHINES_MACHINEPART_H
