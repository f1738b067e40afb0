//===- BenchKernels.cpp - tools/gpu-check.d's kernels, emulated -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/CudaRuntime.h"
#include "tools/gpu-check.d/Kernels.h"

#include <cstring>

namespace blink::gpubench {

cudaError_t launchEmpty(uint32_t, cudaStream_t stream) {
  test::enqueue(stream, [] {});
  return cudaSuccess;
}

cudaError_t launchCopy(void *to, const void *from, size_t bytes, uint32_t,
                       cudaStream_t stream) {
  test::enqueue(stream, [=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}

} // namespace blink::gpubench
