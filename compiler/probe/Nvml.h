//===- Nvml.h - what NVIDIA's driver tells of GPUs --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PROBE_NVML_H
#define BLINK_COMPILER_PROBE_NVML_H

#include "compiler/import/Inventory.h"

namespace blink {

/// Asks the management library, libnvidia-ml.so.1, which is loaded for that,
/// for the models of `inventory`'s GPUs and for their NVLinks. Returns whether
/// there is such a library. Links that are down, GPUs that `inventory` does not
/// have, and a driver that does not answer are warnings.
bool askNvml(Inventory &inventory);

/// What a GPU of the machine has to do now.
struct GpuUse {
  int gpu;            ///< its number in the inventory
  unsigned percent;   ///< of the last moments in which it computed
  unsigned processes; ///< that compute on it, this one not among them
};

/// The same library's answers for `inventory`'s GPUs; none where it has none.
/// To be asked before this process uses a GPU.
std::vector<GpuUse> askGpuUse(const Inventory &inventory);

} // namespace blink

#endif // BLINK_COMPILER_PROBE_NVML_H
