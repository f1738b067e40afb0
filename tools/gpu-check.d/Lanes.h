//===- Lanes.h - rates that lanes reach on a GPU ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_GPUCHECK_LANES_H
#define BLINK_TOOLS_GPUCHECK_LANES_H

#include "tools/gpu-check.d/Device.h"
#include "tools/gpu-check.d/Kernels.h"

namespace blink::gpubench {

/// Microseconds of a copy by lanes with this shape.
struct LaneTime {
  LaneShape shape;
  double us = 0;
};
/// Times copies of `bytes` by 1, 8, 40 and 132 blocks and by one per
/// multiprocessor, with all combinations of the other properties. Throws
/// std::runtime_error.
std::vector<LaneTime> timeLaneCopies(Device &device, size_t bytes);

/// Nanoseconds, each the mean of many operations in a row. Throws
/// std::runtime_error.
struct TurnTimes {
  double acquire = 0;        ///< one load
  double fence = 0;          ///< with nothing to wait for
  double stores = 0;         ///< 64 bytes of each thread of a block, no fence
  double storesAndFence = 0; ///< the same with a fence after them
  double pingPong = 0;       ///< to the other block and back
};
TurnTimes timeTurns(Device &device);

} // namespace blink::gpubench

#endif // BLINK_TOOLS_GPUCHECK_LANES_H
