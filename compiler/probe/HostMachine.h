//===- HostMachine.h - a machine without a GPU ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PROBE_HOSTMACHINE_H
#define BLINK_COMPILER_PROBE_HOSTMACHINE_H

#include "compiler/import/Inventory.h"

namespace blink {

/// Measures NumaNode::coreRate of this machine's NUMA nodes, one after the
/// other, for a quarter of a second each, while all cores of the node that are
/// ranks (HostGraph.h) copy. 0 if the threads could not be pinned.
/// measure/Measure.h measures more thoroughly.
void measureCores(Inventory &inventory);

} // namespace blink

#endif // BLINK_COMPILER_PROBE_HOSTMACHINE_H
