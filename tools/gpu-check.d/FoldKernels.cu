//===- FoldKernels.cu - folds without the waits of a lane -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The folds of lanes on their own, to find out what lanes could reach, and the
// same folds with more loads in flight. Those of lanes keep 45 KiB in flight on
// a multiprocessor, in registers, and none from one turn to the next.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBlock.h"
#include "runtime/cuda/DeviceFold.h"
#include "tools/gpu-check.d/Kernels.h"

namespace blink::gpubench {
namespace {

using runtime::CudaBlock;
using runtime::kFoldThreads;

constexpr uint32_t kMostRanges = FoldShape::kMostRanges;

__global__ void __launch_bounds__(runtime::kBlockThreads, 1)
    foldKernel(char *to, const char *from, size_t bytes, uint32_t numSources,
               uint32_t numDestinations) {
  __shared__ const float *sources[kMostRanges];
  __shared__ float *destinations[kMostRanges];
  const CudaBlock block;
  const size_t each = bytes / gridDim.x, begin = each * blockIdx.x;
  if (threadIdx.x < kMostRanges) {
    const size_t place = threadIdx.x * bytes + begin;
    sources[threadIdx.x] = reinterpret_cast<const float *>(from + place);
    destinations[threadIdx.x] = reinterpret_cast<float *>(to + place);
  }
  block.sync();
  if (!block.isPoster())
    runtime::foldRange<float, runtime::Sum>(block, sources, numSources,
                                            destinations, numDestinations,
                                            each / sizeof(float), 0);
}

//===-- More loads in flight ----------------------------------------------===//

__device__ void add(float (&sum)[4], const runtime::Pack &pack) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
    sum[i] += __uint_as_float(pack.words[i]);
}
__device__ runtime::Pack asPack(const float (&sum)[4]) {
  return {{__float_as_uint(sum[0]), __float_as_uint(sum[1]),
           __float_as_uint(sum[2]), __float_as_uint(sum[3])}};
}

/// Adds `kAhead` sources at a time, whose packs are all in flight.
template <int kAhead>
__global__ void __launch_bounds__(kFoldThreads, 1)
    aheadKernel(char *to, const char *from, size_t bytes, uint32_t numSources,
                uint32_t numDestinations) {
  constexpr int kPacks = 3;
  const size_t each = bytes / gridDim.x, begin = each * blockIdx.x;
  for (size_t first = size_t(threadIdx.x) * 16; first < each;
       first += kPacks * kFoldThreads * size_t(16)) {
    const auto placeOf = [&](int u) { return first + u * kFoldThreads * 16; };
    float sums[kPacks][4] = {};
    for (uint32_t s = 0; s < numSources; s += kAhead) {
      runtime::Pack packs[kAhead][kPacks] = {};
#pragma unroll
      for (int a = 0; a < kAhead; ++a)
#pragma unroll
        for (int u = 0; u < kPacks; ++u)
          if (s + a < numSources && placeOf(u) < each)
            packs[a][u] =
                runtime::loadPack(from + (s + a) * bytes + begin + placeOf(u));
#pragma unroll
      for (int a = 0; a < kAhead; ++a)
#pragma unroll
        for (int u = 0; u < kPacks; ++u)
          add(sums[u], packs[a][u]);
    }
    for (uint32_t d = 0; d < numDestinations; ++d)
#pragma unroll
      for (int u = 0; u < kPacks; ++u)
        if (placeOf(u) < each)
          runtime::storePack(to + d * bytes + begin + placeOf(u),
                             asPack(sums[u]));
  }
}

//===-- Loads through shared memory ---------------------------------------===//

constexpr uint32_t kPacks = 3; ///< of a source that a thread sums in a turn
constexpr uint32_t kDepth = 6; ///< loads of kPacks packs in flight
constexpr uint32_t kStageBytes = kDepth * kPacks * kFoldThreads * 16;

__device__ void loadToShared(uint4 *to, const char *from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   uint32_t(__cvta_generic_to_shared(to))),
               "l"(from)
               : "memory");
#else
  *to = *reinterpret_cast<const uint4 *>(from);
#endif
}
__device__ void endGroup() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/// Waits for all groups of this thread but the last kDepth - 1.
__device__ void awaitOldest() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(kDepth - 1) : "memory");
#endif
}

/// Keeps kDepth loads of kPacks packs in flight, 135 KiB on a multiprocessor,
/// of whatever turns and sources come next. A thread reads only what it has
/// loaded itself, so there are no barriers.
__global__ void __launch_bounds__(kFoldThreads, 1)
    stagedKernel(char *to, const char *from, size_t bytes, uint32_t numSources,
                 uint32_t numDestinations) {
  extern __shared__ uint4 stage[];
  const size_t each = bytes / gridDim.x, begin = each * blockIdx.x;
  const uint32_t numPacks = uint32_t(each / 16);
  const uint32_t numTurns =
      (numPacks + kPacks * kFoldThreads - 1) / (kPacks * kFoldThreads);
  const auto packOf = [&](uint32_t turn, uint32_t u) {
    return (turn * kPacks + u) * kFoldThreads + threadIdx.x;
  };
  const auto slotOf = [&](uint32_t slot, uint32_t u) {
    return stage + (slot * kPacks + u) * kFoldThreads + threadIdx.x;
  };
  // What is loaded next, and to which slot.
  uint32_t nextTurn = 0, nextSource = 0, nextSlot = 0;
  const auto load = [&] {
    if (nextTurn < numTurns) {
#pragma unroll
      for (uint32_t u = 0; u < kPacks; ++u)
        if (packOf(nextTurn, u) < numPacks)
          loadToShared(slotOf(nextSlot, u),
                       from + nextSource * bytes + begin +
                           packOf(nextTurn, u) * size_t(16));
      nextTurn += nextSource + 1 == numSources;
      nextSource = nextSource + 1 == numSources ? 0 : nextSource + 1;
      nextSlot = nextSlot + 1 == kDepth ? 0 : nextSlot + 1;
    }
    endGroup();
  };
  for (uint32_t i = 0; i < kDepth; ++i)
    load();
  uint32_t slot = 0;
  for (uint32_t turn = 0; turn < numTurns; ++turn) {
    float sums[kPacks][4] = {};
    for (uint32_t s = 0; s < numSources; ++s) {
      awaitOldest();
#pragma unroll
      for (uint32_t u = 0; u < kPacks; ++u) {
        const uint4 pack = *slotOf(slot, u);
        add(sums[u], {{pack.x, pack.y, pack.z, pack.w}});
      }
      slot = slot + 1 == kDepth ? 0 : slot + 1;
      load();
    }
    for (uint32_t d = 0; d < numDestinations; ++d)
#pragma unroll
      for (uint32_t u = 0; u < kPacks; ++u)
        if (packOf(turn, u) < numPacks)
          runtime::storePack(to + d * bytes + begin +
                                 packOf(turn, u) * size_t(16),
                             asPack(sums[u]));
  }
}

} // namespace

cudaError_t launchFold(void *to, const void *from, size_t bytes,
                       const FoldShape &shape, cudaStream_t stream) {
  char *const all = static_cast<char *>(to);
  const char *const sources = static_cast<const char *>(from);
  if (shape.way != FoldShape::shared) {
    const bool asInLanes = shape.way == FoldShape::lanes;
    const auto kernel = asInLanes                      ? foldKernel
                        : shape.way == FoldShape::four ? aheadKernel<4>
                                                       : aheadKernel<8>;
    kernel<<<shape.blocks, asInLanes ? runtime::kBlockThreads : kFoldThreads, 0,
             stream>>>(all, sources, bytes, shape.sources, shape.destinations);
    return cudaGetLastError();
  }
  const cudaError_t error = cudaFuncSetAttribute(
      stagedKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kStageBytes);
  if (error != cudaSuccess)
    return error;
  stagedKernel<<<shape.blocks, kFoldThreads, kStageBytes, stream>>>(
      all, sources, bytes, shape.sources, shape.destinations);
  return cudaGetLastError();
}

} // namespace blink::gpubench
