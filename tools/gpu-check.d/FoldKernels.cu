//===- FoldKernels.cu - folds without the waits of a lane -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The folds of lanes on their own, to find out what lanes could reach, with
// stages of all sizes and without one.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBlock.h"
#include "runtime/cuda/FoldRange.h"
#include "tools/gpu-check.d/Kernels.h"

namespace blink::gpubench {
namespace {

using runtime::CudaBlock;

constexpr uint32_t kMostRanges = FoldShape::kMostRanges;

/// The part of all ranges that a block folds.
struct Ranges {
  const float **sources;
  float **destinations;
  size_t bytes;
};
/// Behind a barrier of the block, `sources` and `destinations` are complete.
__device__ Ranges rangesOf(char *to, const char *from, size_t bytes) {
  __shared__ const float *sources[kMostRanges];
  __shared__ float *destinations[kMostRanges];
  const size_t each = bytes / gridDim.x, begin = each * blockIdx.x;
  if (threadIdx.x < kMostRanges) {
    const size_t place = threadIdx.x * bytes + begin;
    sources[threadIdx.x] = reinterpret_cast<const float *>(from + place);
    destinations[threadIdx.x] = reinterpret_cast<float *>(to + place);
  }
  return {sources, destinations, each};
}

__global__ void __launch_bounds__(runtime::kBlockThreads, 1)
    foldKernel(char *to, const char *from, size_t bytes, uint32_t numSources,
               uint32_t numDestinations) {
  const Ranges ranges = rangesOf(to, from, bytes);
  const CudaBlock block;
  block.sync();
  if (!block.isPoster())
    runtime::foldRange<float, runtime::Sum>(
        block, ranges.sources, numSources, ranges.destinations, numDestinations,
        ranges.bytes / sizeof(float), 0);
}

/// The same as on GPUs without asynchronous loads.
__global__ void __launch_bounds__(runtime::kBlockThreads, 1)
    registersKernel(char *to, const char *from, size_t bytes,
                    uint32_t numSources, uint32_t numDestinations) {
  const Ranges ranges = rangesOf(to, from, bytes);
  const CudaBlock block;
  block.sync();
  if (block.isPoster())
    return;
  using Fold = runtime::DeviceFold<float, runtime::Sum>;
  Fold::foldPacks<false>(
      {runtime::SharedPointers<const char>(
           reinterpret_cast<const char *const *>(ranges.sources)),
       numSources,
       runtime::SharedPointers<char>(
           reinterpret_cast<char *const *>(ranges.destinations)),
       numDestinations, 0},
      runtime::Turns::of(block, 0, ranges.bytes / runtime::Pack::kBytes));
}

} // namespace

bool hasRoom(const FoldShape &shape) {
  int device = 0, most = 0;
  cudaFuncAttributes attributes;
  return cudaGetDevice(&device) == cudaSuccess &&
         cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                device) == cudaSuccess &&
         cudaFuncGetAttributes(&attributes, foldKernel) == cudaSuccess &&
         attributes.sharedSizeBytes + runtime::stageBytes(shape.stagePacks) <=
             size_t(most);
}

cudaError_t launchFold(void *to, const void *from, size_t bytes,
                       const FoldShape &shape, cudaStream_t stream) {
  const auto kernel = shape.stagePacks != 0 ? foldKernel : registersKernel;
  const unsigned stage = runtime::stageBytes(shape.stagePacks);
  const cudaError_t error = cudaFuncSetAttribute(
      kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(stage));
  if (error != cudaSuccess)
    return error;
  kernel<<<shape.blocks, runtime::kBlockThreads, stage, stream>>>(
      static_cast<char *>(to), static_cast<const char *>(from), bytes,
      shape.sources, shape.destinations);
  return cudaGetLastError();
}

} // namespace blink::gpubench
