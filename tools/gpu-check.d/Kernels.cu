//===- Kernels.cu - kernels to compare Blink's with -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/gpu-check.d/Kernels.h"

namespace blink::gpubench {
namespace {

/// Four accesses in flight, as in a fold.
constexpr int kUnroll = 4;

__global__ void __launch_bounds__(kBlockThreads) emptyKernel() {}

__global__ void __launch_bounds__(kBlockThreads)
    copyKernel(uint4 *__restrict__ to, const uint4 *__restrict__ from,
               size_t count) {
  const size_t stride = size_t(gridDim.x) * blockDim.x;
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i + (kUnroll - 1) * stride < count; i += kUnroll * stride) {
    uint4 packs[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u)
      packs[u] = from[i + u * stride];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u)
      to[i + u * stride] = packs[u];
  }
  for (; i < count; i += stride)
    to[i] = from[i];
}

__global__ void meetingKernel(MeetingMemory *memory, uint32_t kernels) {
  constexpr uint64_t kPatience = 300 * 1000 * 1000; // nanoseconds
  const auto now = [] {
    uint64_t time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
  };
  const uint64_t begin = now();
  atomicAdd(&memory->arrived, 1u);
  while (*const_cast<volatile uint32_t *>(&memory->arrived) < kernels)
    if (now() - begin > kPatience) {
      atomicAdd(&memory->failed, 1u);
      return;
    }
}

} // namespace

cudaError_t countProcessors(int &count) {
  int device = 0;
  const cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess)
    return error;
  return cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
}

cudaError_t launchEmpty(uint32_t numBlocks, cudaStream_t stream) {
  emptyKernel<<<numBlocks, kBlockThreads, 0, stream>>>();
  return cudaGetLastError();
}

cudaError_t launchMeeting(MeetingMemory *memory, uint32_t kernels,
                          cudaStream_t stream) {
  meetingKernel<<<1, 1, 0, stream>>>(memory, kernels);
  return cudaGetLastError();
}

cudaError_t launchCopy(void *to, const void *from, size_t bytes,
                       uint32_t blocksEach, cudaStream_t stream) {
  int processors = 0;
  const cudaError_t error = countProcessors(processors);
  if (error != cudaSuccess)
    return error;
  copyKernel<<<uint32_t(processors) * blocksEach, kBlockThreads, 0, stream>>>(
      static_cast<uint4 *>(to), static_cast<const uint4 *>(from), bytes / 16);
  return cudaGetLastError();
}

} // namespace blink::gpubench
