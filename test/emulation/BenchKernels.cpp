//===- BenchKernels.cpp - tools/gpu-check.d's kernels, emulated -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/CudaRuntime.h"
#include "tools/gpu-check.d/Kernels.h"

#include <cstring>

namespace blink::gpubench {

cudaError_t countProcessors(int &count) {
  count = 2;
  return cudaSuccess;
}

cudaError_t launchEmpty(uint32_t, cudaStream_t stream) {
  return test::enqueue(stream, [] {});
}

cudaError_t launchCopy(void *to, const void *from, size_t bytes, uint32_t,
                       cudaStream_t stream) {
  return test::enqueue(stream, [=] { std::memcpy(to, from, bytes); });
}

cudaError_t launchLaneCopy(void *to, const void *from, size_t bytes,
                           const LaneShape &, cudaStream_t stream) {
  return launchCopy(to, from, bytes, 1, stream);
}

cudaError_t launchTurns(Turn, TurnMemory *, uint32_t, cudaStream_t stream) {
  test::enqueue(stream, [] {});
  return cudaSuccess;
}

} // namespace blink::gpubench
