//===- LaneKernels.cu - the parts of a lane, one by one -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Accesses are in assembly: the compiler must not join or split stores, nor
// remove code that is only there to take its time.
//
//===----------------------------------------------------------------------===//

#include "tools/gpu-check.d/Kernels.h"

namespace blink::gpubench {
namespace {

__device__ void storeWide(uint4 *to, uint4 value) {
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(to),
               "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w)
               : "memory");
}

__device__ void storeNarrow(uint4 *to, uint4 value) {
  asm volatile("st.global.b32 [%0], %1;\n\t"
               "st.global.b32 [%0+4], %2;\n\t"
               "st.global.b32 [%0+8], %3;\n\t"
               "st.global.b32 [%0+12], %4;" ::"l"(to),
               "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w)
               : "memory");
}

template <int kUnroll, bool kWide>
__global__ void __launch_bounds__(kBlockThreads)
    laneKernel(uint4 *to, const uint4 *from, size_t count) {
  const auto store = [](uint4 *place, uint4 value) {
    if (kWide)
      storeWide(place, value);
    else
      storeNarrow(place, value);
  };
  const size_t each = (count + gridDim.x - 1) / gridDim.x;
  size_t i = each * blockIdx.x + threadIdx.x;
  const size_t end =
      each * (blockIdx.x + 1) < count ? each * (blockIdx.x + 1) : count;
  const size_t stride = blockDim.x;
  for (; i + (kUnroll - 1) * stride < end; i += kUnroll * stride) {
    uint4 packs[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u)
      packs[u] = from[i + u * stride];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u)
      store(to + i + u * stride, packs[u]);
  }
  for (; i < end; i += stride)
    store(to + i, from[i]);
}

__device__ uint32_t loadAcquire(const uint32_t *word) {
  uint32_t value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];"
               : "=r"(value)
               : "l"(word)
               : "memory");
  return value;
}

__device__ void storeRelease(uint32_t *word, uint32_t value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(word), "r"(value)
               : "memory");
}

__device__ void fenceSystem() {
  asm volatile("fence.acq_rel.sys;" ::: "memory");
}

/// Runs one thread. The word is zero, and each address depends on the load
/// before.
__global__ void acquireKernel(TurnMemory *memory, uint32_t times) {
  const uint32_t *word = &memory->ping;
  for (uint32_t i = 0; i < times; ++i)
    word += loadAcquire(word);
  if (word != &memory->ping)
    memory->failed = 1;
}

__global__ void fenceKernel(uint32_t times) {
  for (uint32_t i = 0; i < times; ++i)
    fenceSystem();
}

template <bool kFence>
__global__ void __launch_bounds__(kBlockThreads)
    storesKernel(TurnMemory *memory, uint32_t times) {
  uint4 *place = reinterpret_cast<uint4 *>(memory->stores) + threadIdx.x;
  for (uint32_t i = 0; i < times; ++i) {
#pragma unroll
    for (int u = 0; u < 4; ++u)
      storeWide(place + u * kBlockThreads, make_uint4(i, i, i, i));
    __syncthreads();
    if (kFence && threadIdx.x == 0)
      fenceSystem();
    __syncthreads();
  }
}

/// Waits until the word is `value`, for about a second of polls at most.
__device__ bool await(const uint32_t *word, uint32_t value) {
  for (uint32_t polls = 0; polls < (1u << 22); ++polls)
    if (loadAcquire(word) == value)
      return true;
  return false;
}

/// Runs two blocks of one thread. At the end the words are zero again: when the
/// first block sees the last answer, the second no longer accesses them.
__global__ void pingPongKernel(TurnMemory *memory, uint32_t times) {
  const bool first = blockIdx.x == 0;
  uint32_t *mine = first ? &memory->ping : &memory->pong;
  uint32_t *other = first ? &memory->pong : &memory->ping;
  for (uint32_t i = 1; i <= times; ++i) {
    if (first)
      storeRelease(mine, i);
    if (!await(other, i)) {
      memory->failed = 1;
      return;
    }
    if (!first)
      storeRelease(mine, i);
  }
  if (first)
    *mine = *other = 0;
}

} // namespace

cudaError_t launchLaneCopy(void *to, const void *from, size_t bytes,
                           const LaneShape &shape, cudaStream_t stream) {
  const bool wide = shape.storeBytes == 16;
  const auto kernel = shape.unroll == 8
                          ? (wide ? laneKernel<8, true> : laneKernel<8, false>)
                          : (wide ? laneKernel<4, true> : laneKernel<4, false>);
  kernel<<<shape.blocks, shape.threads, 0, stream>>>(
      static_cast<uint4 *>(to), static_cast<const uint4 *>(from), bytes / 16);
  return cudaGetLastError();
}

cudaError_t launchTurns(Turn turn, TurnMemory *memory, uint32_t times,
                        cudaStream_t stream) {
  switch (turn) {
  case Turn::acquire:
    acquireKernel<<<1, 1, 0, stream>>>(memory, times);
    break;
  case Turn::fence:
    fenceKernel<<<1, 1, 0, stream>>>(times);
    break;
  case Turn::stores:
    storesKernel<false><<<1, kBlockThreads, 0, stream>>>(memory, times);
    break;
  case Turn::storesAndFence:
    storesKernel<true><<<1, kBlockThreads, 0, stream>>>(memory, times);
    break;
  case Turn::pingPong:
    pingPongKernel<<<2, 1, 0, stream>>>(memory, times);
    break;
  }
  return cudaGetLastError();
}

} // namespace blink::gpubench
