//===- Measure.h - measured rates instead of nominal ones -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PROBE_MEASURE_MEASURE_H
#define BLINK_COMPILER_PROBE_MEASURE_MEASURE_H

#include "compiler/import/Inventory.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace blink {

struct Measurement {
  Topology topology; ///< with measured rates where available
  std::string how;   ///< "NVIDIA H100 80GB HBM3, CUDA 12.8; blocks of ..."
  std::vector<std::string> lines; ///< one per link: describe() of LinkRates.h
};

/// Receives the number of finished runs and of all runs.
using MeasureWatcher = llvm::function_ref<void(size_t done, size_t all)>;

/// Measures this machine. `nominal` is its topology with nominal rates;
/// `inventory` and `sysfs` describe it. Takes some tens of runs of a sixth of a
/// second each. Errors: BusyMachine (Busy.h); no NVIDIA driver; AMD GPUs; a
/// machine without GPUs other than this one; a copy that fails or does not end.
llvm::Expected<Measurement> measureMachine(const Topology &nominal,
                                           Inventory &inventory,
                                           llvm::StringRef sysfs,
                                           MeasureWatcher watcher);

} // namespace blink

#endif // BLINK_COMPILER_PROBE_MEASURE_MEASURE_H
