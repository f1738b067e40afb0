//===- HostGraph.h - the topology of a machine without a GPU ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_IMPORT_HOSTGRAPH_H
#define BLINK_COMPILER_IMPORT_HOSTGRAPH_H

#include "compiler/import/Inventory.h"

namespace blink {

/// The processors of a NUMA node that ranks run on.
struct HostCores {
  size_t numaNode; ///< index in Inventory::numaNodes
  std::vector<int> processors;
};

/// Returns up to four cores for each NUMA node. Leaves out a node whose
/// processors all belong to earlier nodes: it is memory only.
std::vector<HostCores> hostCores(const Inventory &inventory);

/// Returns the topology that schedules of the host back end are compiled for,
/// like topologies/host-2numa.topo: the cores of hostCores() as ranks (nodes of
/// kind gpu), each joined to its node's memory at NumaNode::coreRate, and the
/// nodes joined pairwise. Adds to the inventory's notes where the rates come
/// from. Errors: no NUMA node has processors, or too many have; two nodes have
/// the same number.
llvm::Expected<Topology> hostGraph(Inventory &inventory, RateSource source);

} // namespace blink

#endif // BLINK_COMPILER_IMPORT_HOSTGRAPH_H
