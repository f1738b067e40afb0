//===- TopologyWriter.h - writing .topo files -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_TOPOLOGYWRITER_H
#define BLINK_COMPILER_TOPOLOGY_TOPOLOGYWRITER_H

#include "compiler/topology/Topology.h"

namespace blink {

/// The text of a .topo file, a node or link a line. A link and its equal in the
/// other direction become one entry. parseTopology gives the same machine back:
/// nodes in the same order, links of the same fingerprint when each stands
/// right before its equal, otherwise perhaps in another order. The lines of
/// `comment` go on top.
std::string writeTopology(const Topology &topology, llvm::StringRef comment);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_TOPOLOGYWRITER_H
