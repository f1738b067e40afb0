//===- SystemFiles.h - the PCI tree and CPUs of a Linux system --*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What the kernel tells in /sys and /proc, or in a copy of both.
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
/// and no NUMA nodes.
llvm::Error readSystemFiles(llvm::StringRef sysfs, Inventory &inventory);

/// The processors of a NUMA node, which its `cpulist` names: "0-3,8-11".
/// Nothing if the text is no such list.
std::vector<int> parseCpuList(llvm::StringRef text);

/// The processors of a NUMA node; processor 0 where `sysfs` does not tell.
std::vector<int> processorsOf(llvm::StringRef sysfs, int node);

} // namespace blink

#endif // BLINK_COMPILER_PROBE_SYSTEMFILES_H
