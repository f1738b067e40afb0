//===- Clock.cu - what time it is on a device -----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBlock.h"

namespace blink::runtime {
namespace {

__global__ void clock(uint64_t *time) {
  storeRelease(time, CudaBlock().nanoseconds());
}

} // namespace

const void *clockKernel() { return reinterpret_cast<const void *>(&clock); }

} // namespace blink::runtime
