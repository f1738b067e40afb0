//===- SystemFiles.h - the PCI tree and CPUs of a Linux system --*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Reads the kernel's /sys and /proc, or a copy of both as hwloc-gather-topology
// makes.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PROBE_SYSTEMFILES_H
#define BLINK_COMPILER_PROBE_SYSTEMFILES_H

#include "compiler/import/Inventory.h"

namespace blink {

/// Fills in NUMA nodes, the PCI tree and GPUs, in the order of bus ids, from
/// `sysfs`, and CPUs from proc/cpuinfo beside it. AMD GPUs' xGMI links are
/// there too (class/kfd); NVIDIA's NVLinks are not. A device has the greatest
/// speed that it supports (max_link_speed), since idle GPUs clock their links
/// down. A GPU whose link trained to fewer lanes gets these, with a warning.
/// Errors: `sysfs` has no PCI devices and no processors.
llvm::Error readSystemFiles(llvm::StringRef sysfs, Inventory &inventory);

} // namespace blink

#endif // BLINK_COMPILER_PROBE_SYSTEMFILES_H
