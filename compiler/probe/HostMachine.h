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
/// topologies/host-2numa.topo: up to four cores a NUMA node as ranks (nodes of
/// kind gpu), each joined to its node's memory; nodes joined pairwise. The rate
/// of a core is measured where `sysfs` is this machine's: all of them copy at
/// once, for a quarter of a second a node. Elsewhere it is a planning figure.
llvm::Expected<Topology> hostMachine(llvm::StringRef sysfs,
                                     Inventory &inventory, RateSource source);

/// GB/s that each of some threads copies, all at once, each pinned to one of
/// `processors`; the best of some rounds. 0: none could be pinned.
double measureCopies(const std::vector<int> &processors);

} // namespace blink

#endif // BLINK_COMPILER_PROBE_HOSTMACHINE_H
