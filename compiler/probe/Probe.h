//===- Probe.h - the topology of this machine -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PROBE_PROBE_H
#define BLINK_COMPILER_PROBE_PROBE_H

#include "compiler/import/Import.h"
#include "compiler/probe/measure/Measure.h"

#include <functional>
#include <optional>

namespace blink {

struct ProbeOptions {
  /// Where the kernel tells of devices; another folder is a copy of another
  /// machine's, with its proc/ beside it.
  std::string sysfs = "/sys";
  RateSource rates = RateSource::nominal;
  /// Whether rates are measured, and who is told how far that is.
  bool measure = false;
  std::function<void(size_t done, size_t all)> watcher;
};

struct ProbedMachine {
  ImportedMachine machine; ///< with nominal rates
  std::optional<Measurement> measurement;
  /// The pairs of GPUs and NICs in the words of `nvidia-smi topo -m`; empty
  /// for a machine without a GPU.
  std::string matrix;
};

/// Looks at a machine: the kernel's PCI tree, NVIDIA's management library for
/// models and NVLinks, AMD's part of the kernel for xGMI. Without a GPU it is
/// the topology of the host back end (HostMachine.h). Errors: `sysfs` is none;
/// those of measureMachine(), a BusyMachine among them.
llvm::Expected<ProbedMachine> probeMachine(const ProbeOptions &options);

/// The matrix of an inventory's GPUs and NICs, as `nvidia-smi topo -m` has it.
std::string topoMatrix(const Inventory &inventory);

} // namespace blink

#endif // BLINK_COMPILER_PROBE_PROBE_H
