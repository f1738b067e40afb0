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
  size_t numaNode; ///< its place in Inventory::numaNodes
  std::vector<int> processors;
};

/// Up to four a NUMA node. One whose processors all are another's, before it,
/// is memory alone and left out.
std::vector<HostCores> hostCores(const Inventory &inventory);

/// The topology that schedules of the host back end are compiled for, as
/// topologies/host-2numa.topo: the cores of hostCores() as ranks (nodes of kind
/// gpu), each joined to its node's memory at NumaNode::coreRate; nodes joined
/// pairwise. Where rates come from is added to the inventory's notes. Errors:
/// no NUMA node has processors, or too many have; two have one number.
llvm::Expected<Topology> hostGraph(Inventory &inventory, RateSource source);

} // namespace blink

#endif // BLINK_COMPILER_IMPORT_HOSTGRAPH_H
