//===- HostGraph.h - the topology of a machine without a GPU ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_IMPORT_HOSTGRAPH_H
#define BLINK_COMPILER_IMPORT_HOSTGRAPH_H

#include "compiler/import/Inventory.h"

namespace blink {

/// Ranks of a NUMA node.
inline constexpr int kMostCores = 4;

/// The topology that schedules of the host back end are compiled for, as
/// topologies/host-2numa.topo: up to four cores a NUMA node as ranks (nodes of
/// kind gpu), each joined to its node's memory at NumaNode::coreRate; nodes
/// joined pairwise. A NUMA node whose processors all are another's, before it,
/// is memory alone and left out. Where rates come from is added to the
/// inventory's notes. Error: no NUMA node has processors.
llvm::Expected<Topology> hostGraph(Inventory &inventory, RateSource source);

} // namespace blink

#endif // BLINK_COMPILER_IMPORT_HOSTGRAPH_H
