//===- Kernels.h - starting lanes -------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The seam between the host side of the CUDA back end and device code.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_KERNELS_H
#define BLINK_RUNTIME_CUDA_KERNELS_H

#include "runtime/blink.h"
#include "runtime/cuda/Launch.h"

#include <cuda_runtime_api.h>

namespace blink::runtime {

/// Starts `numBlocks` lanes on the current device, in `stream`.
cudaError_t launchLanes(blinkDataType_t type, blinkRedOp_t op,
                        uint32_t numBlocks, const Launch &launch,
                        cudaStream_t stream);

/// Likewise the lanes of messages.
cudaError_t launchMessages(uint32_t numBlocks, const MessageLaunch &launch,
                           cudaStream_t stream);

/// Has the current device write what time it is, as Block::nanoseconds(), to
/// host memory.
cudaError_t launchClock(uint64_t *time, cudaStream_t stream);

/// Loads the kernels of all types and operators on the current device, and
/// tells how many lanes of any of them it can run at the same time. Otherwise
/// a kernel is loaded when it is first launched, which waits for those that
/// run and lets no other thread use the device meanwhile: kernels that wait
/// for each other, as collectives do, would wait for ever.
cudaError_t prepareLanes(uint32_t &numBlocks);

/// Whether the kernels, as the current device has loaded them, have a switch
/// add and copy: those for sm_90 and later do.
cudaError_t kernelsMulticast(bool &can);

/// Whether a switch adds elements of the type (Multimem.h).
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

/// Whether it divides such sums, of avg, too (kSwitchDivides).
constexpr bool switchDivides(blinkDataType_t type) {
  return switchAdds(type) && type != blinkFloat16 && type != blinkBfloat16;
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_KERNELS_H
