//===- MachineGraph.h - a topology from an inventory ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_IMPORT_MACHINEGRAPH_H
#define BLINK_COMPILER_IMPORT_MACHINEGRAPH_H

#include "compiler/import/Inventory.h"

namespace blink {

/// The graph of a machine: its GPUs `gpu0`, ..., one node `nvswitch0` for the
/// fabric between them, PCIe switches `plx0`, ..., NUMA nodes `cpu0`, ... and
/// NICs `nic0`, ... with the name that the system gives them.
///
/// Of the PCI tree remains what leads to a GPU or a NIC. A bridge with a single
/// such device below is a part of that device's link, which is as slow as its
/// slowest part. NUMA nodes that matter are joined pairwise by Rates.h's
/// figure. Links between GPUs count as often as both ends list them.
///
/// Oddities and guesses are added to the inventory's notes. Errors, with a
/// place: no GPU, or too many; a GPU with the bus id of another device.
llvm::Expected<Topology> machineGraph(Inventory &inventory, RateSource source);

} // namespace blink

#endif // BLINK_COMPILER_IMPORT_MACHINEGRAPH_H
