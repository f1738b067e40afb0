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
  /// The kernel's folder of devices. Another folder holds a copy of another
  /// machine's, with its proc/ beside it.
  std::string sysfs = "/sys";
  RateSource rates = RateSource::nominal;
  /// Whether to measure rates, and the callback for progress.
  bool measure = false;
  std::function<void(size_t done, size_t all)> watcher;
};

struct ProbedMachine {
  ImportedMachine machine; ///< with nominal rates
  std::optional<Measurement> measurement;
  /// The pairs of GPUs and NICs in the notation of `nvidia-smi topo -m`; empty
  /// for a machine without a GPU.
  std::string matrix;
};

/// Probes a machine: the kernel's PCI tree, NVIDIA's management library for
/// models and NVLinks, AMD's part of the kernel for xGMI. Without a GPU the
/// result is the topology of the host back end (HostMachine.h). Errors: `sysfs`
/// does not describe a machine; those of measureMachine(), including
/// BusyMachine.
llvm::Expected<ProbedMachine> probeMachine(const ProbeOptions &options);

/// Returns the matrix of an inventory's GPUs and NICs as `nvidia-smi topo -m`
/// prints it.
std::string topoMatrix(const Inventory &inventory);

} // namespace blink

#endif // BLINK_COMPILER_PROBE_PROBE_H
