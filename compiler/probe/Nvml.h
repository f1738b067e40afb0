//===- Nvml.h - GPUs as NVIDIA's driver reports them ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PROBE_NVML_H
#define BLINK_COMPILER_PROBE_NVML_H

#include "compiler/import/Inventory.h"

namespace blink {

/// Loads the management library, libnvidia-ml.so.1, and asks it for the models
/// of `inventory`'s GPUs and for their NVLinks. Returns whether there is such a
/// library. Links that are down, GPUs that `inventory` does not have, and a
/// driver that does not answer are warnings.
bool askNvml(Inventory &inventory);

/// The present use of a GPU.
struct GpuUse {
  int gpu;            ///< its number in the inventory
  unsigned percent;   ///< of the last moments in which it computed
  unsigned processes; ///< that compute on it, without this one
};

/// Asks the same library about `inventory`'s GPUs; returns none if it knows
/// none. Call this before this process uses a GPU.
std::vector<GpuUse> askGpuUse(const Inventory &inventory);

} // namespace blink

#endif // BLINK_COMPILER_PROBE_NVML_H
