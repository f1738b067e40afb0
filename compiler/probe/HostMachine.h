//===- HostMachine.h - a machine without a GPU ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PROBE_HOSTMACHINE_H
#define BLINK_COMPILER_PROBE_HOSTMACHINE_H

#include "compiler/import/Inventory.h"

namespace blink {

/// The topology that schedules of the host back end are compiled for, as
/// topologies/host-2numa.topo: the cores of hostCores() as ranks (nodes of kind
/// gpu), each joined to its node's memory; nodes joined pairwise. The rate of a
/// core is measured if `isBrief` and `sysfs` is this machine's: all of them
/// copy at once, for a quarter of a second a node. Otherwise it is a planning
/// figure, until measure/Measure.h measures it at length.
llvm::Expected<Topology> hostMachine(llvm::StringRef sysfs,
                                     Inventory &inventory, RateSource source,
                                     bool isBrief);

/// The processors that ranks run on, up to four a NUMA node, by node.
std::vector<std::vector<int>> hostCores(llvm::StringRef sysfs,
                                        const Inventory &inventory);

} // namespace blink

#endif // BLINK_COMPILER_PROBE_HOSTMACHINE_H
