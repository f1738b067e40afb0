//===- MachineGraph.h - a topology from an inventory ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_IMPORT_MACHINEGRAPH_H
#define BLINK_COMPILER_IMPORT_MACHINEGRAPH_H

#include "compiler/import/Inventory.h"

namespace blink {

/// Returns the graph of a machine: its GPUs `gpu0`, ..., one node `nvswitch0`
/// for the fabric between them, PCIe switches `plx0`, ..., NUMA nodes `cpu0`,
/// ... and NICs `nic0`, ... with the names that the system gives them.
///
/// Keeps the part of the PCI tree that leads to GPUs and NICs. A bridge with a
/// single such device below it becomes part of that device's link, which is as
/// slow as its slowest part. NUMA nodes that the graph needs are joined
/// pairwise at the rate of Rates.h. Links between two GPUs count as often as
/// both ends list them.
///
/// Adds oddities and guesses to the inventory's notes. Errors, with a place: no
/// GPU, or too many; a GPU with the bus id of another device.
llvm::Expected<Topology> machineGraph(Inventory &inventory, RateSource source);

} // namespace blink

#endif // BLINK_COMPILER_IMPORT_MACHINEGRAPH_H
