//===- Folds.h - rates that folds reach on a GPU ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_GPUCHECK_FOLDS_H
#define BLINK_TOOLS_GPUCHECK_FOLDS_H

#include "tools/gpu-check.d/Device.h"
#include "tools/gpu-check.d/Kernels.h"

namespace blink::gpubench {

/// Microseconds of a fold with this shape.
struct FoldTime {
  FoldShape shape;
  double us = 0;
};
/// Times folds of ranges of `bytes`, a multiple of 16 KiB: copies to 1 to 8
/// destinations and sums of 2 to 8 sources, by 16 and by 128 blocks, with all
/// stages for which the GPU has room and without one. Checks the sums. Throws
/// std::runtime_error.
std::vector<FoldTime> timeFolds(Device &device, size_t bytes);

} // namespace blink::gpubench

#endif // BLINK_TOOLS_GPUCHECK_FOLDS_H
