//===- SystemFiles.h - the PCI tree and CPUs of a Linux system --*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What the kernel tells in /sys and /proc, or in a copy of both, as
// hwloc-gather-topology makes.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PROBE_SYSTEMFILES_H
#define BLINK_COMPILER_PROBE_SYSTEMFILES_H

#include "compiler/import/Inventory.h"

namespace blink {

/// Fills NUMA nodes, the PCI tree and GPUs, in the order of bus ids, from
/// `sysfs`, and CPUs from proc/cpuinfo beside it. AMD GPUs' xGMI links are
/// there, too (class/kfd); NVIDIA's are not. A link's speed is the greatest
/// that both ends can, since idle GPUs clock theirs down; where it trained
/// narrower than that, a warning says so. Errors: `sysfs` has no PCI devices
/// and no processors.
llvm::Error readSystemFiles(llvm::StringRef sysfs, Inventory &inventory);

} // namespace blink

#endif // BLINK_COMPILER_PROBE_SYSTEMFILES_H
