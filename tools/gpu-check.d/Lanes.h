//===- Lanes.h - what lanes can reach on a GPU ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_GPUCHECK_LANES_H
#define BLINK_TOOLS_GPUCHECK_LANES_H

#include "tools/gpu-check.d/Device.h"
#include "tools/gpu-check.d/Kernels.h"

namespace blink::gpubench {

/// Microseconds of a copy by lanes of this shape.
struct LaneTime {
  LaneShape shape;
  double us = 0;
};
/// Of `bytes`, for 1, 8, 40, 132 blocks and one a multiprocessor, and every
/// other property a lane may have. Throws std::runtime_error.
std::vector<LaneTime> timeLaneCopies(Device &device, size_t bytes);

/// Nanoseconds, each the mean of many in a row. Throws std::runtime_error.
struct TurnTimes {
  double acquire = 0;        ///< one load
  double fence = 0;          ///< with nothing to wait for
  double stores = 0;         ///< 64 bytes of each thread of a block, no fence
  double storesAndFence = 0; ///< and a fence after them
  double pingPong = 0;       ///< to the other block and back
};
TurnTimes timeTurns(Device &device);

} // namespace blink::gpubench

#endif // BLINK_TOOLS_GPUCHECK_LANES_H
