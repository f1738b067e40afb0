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
  Topology topology; ///< with measured rates where there are such
  std::string how;   ///< "NVIDIA H100 80GB HBM3, CUDA 12.8; blocks of ..."
  std::vector<std::string> lines; ///< one a link: describe() of LinkRates.h
};

/// Is told how many runs of how many are done.
using MeasureWatcher = llvm::function_ref<void(size_t done, size_t all)>;

/// Measures this machine, whose topology with nominal rates `nominal` is and
/// which `inventory` and `sysfs` describe. Some tens of runs of a sixth of a
/// second each. Errors: BusyMachine (Busy.h); no NVIDIA driver; GPUs of AMD's;
/// a machine without GPUs that is not this one; a copy that fails or does not
/// end.
llvm::Expected<Measurement> measureMachine(const Topology &nominal,
                                           Inventory &inventory,
                                           llvm::StringRef sysfs,
                                           MeasureWatcher watcher);

} // namespace blink

#endif // BLINK_COMPILER_PROBE_MEASURE_MEASURE_H
