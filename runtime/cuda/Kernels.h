//===- Kernels.h - starting lanes -------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The interface between the host side of the CUDA back end and device code.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_KERNELS_H
#define BLINK_RUNTIME_CUDA_KERNELS_H

#include "runtime/blink.h"
#include "runtime/cuda/Launch.h"

#include <cuda_runtime_api.h>

namespace blink::runtime {

/// Starts `numBlocks` lanes on the current device, in `stream`.
/// `staged`: with a stage each (StagedFold.h), if the device has room.
cudaError_t launchLanes(blinkDataType_t type, blinkRedOp_t op, bool staged,
                        uint32_t numBlocks, const Launch &launch,
                        cudaStream_t stream);

/// Starts the lanes of messages in the same way.
cudaError_t launchMessages(uint32_t numBlocks, const MessageLaunch &launch,
                           cudaStream_t stream);

/// Makes the current device write its time, as Block::nanoseconds() has it, to
/// host memory.
cudaError_t launchClock(uint64_t *time, cudaStream_t stream);

/// Loads the kernels of all types and operators on the current device, and sets
/// `numBlocks` to the number of lanes of any of them that it can run at the
/// same time. Without this a kernel is loaded at its first launch. Loading
/// waits for running kernels and keeps other threads from using the device, so
/// kernels that wait for each other, as collectives do, would wait forever.
cudaError_t prepareLanes(uint32_t &numBlocks);

/// Sets `can` to whether the kernels that the current device has loaded use a
/// switch to add and copy: those for sm_90 and later do.
cudaError_t kernelsMulticast(bool &can);

/// Whether a switch adds elements of this type (Multimem.h).
constexpr bool switchAdds(blinkDataType_t type) {
  switch (type) {
  case blinkInt32:
  case blinkUint32:
  case blinkInt64:
  case blinkUint64:
  case blinkFloat16:
  case blinkBfloat16:
  case blinkFloat32:
  case blinkFloat64:
    return true;
  default:
    return false;
  }
}

/// Whether the kernel can also divide such sums for avg (kSwitchDivides).
constexpr bool switchDivides(blinkDataType_t type) {
  return switchAdds(type) && type != blinkFloat16 && type != blinkBfloat16;
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_KERNELS_H
