//===- TopologyWriter.h - writing .topo files -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_TOPOLOGYWRITER_H
#define BLINK_COMPILER_TOPOLOGY_TOPOLOGYWRITER_H

#include "compiler/topology/Topology.h"

namespace blink {

/// Returns the text of a .topo file, with one node or link per line, headed by
/// the lines of `comment`. A link and an equal link in the other direction
/// become one entry. parseTopology reads the same machine back, with the nodes
/// in the same order. Links keep their order, and so the fingerprint, if each
/// stands right before its equal; otherwise their order may change.
std::string writeTopology(const Topology &topology, llvm::StringRef comment);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_TOPOLOGYWRITER_H
