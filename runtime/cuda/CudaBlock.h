//===- CudaBlock.h - the threads of a block ---------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// LaneWaits.h's Block on a device. Only files with kernels include this header,
// and each has its own copy.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_CUDABLOCK_H
#define BLINK_RUNTIME_CUDA_CUDABLOCK_H

#include "runtime/cuda/KernelTable.h"
#include "runtime/cuda/LaneWaits.h"

namespace blink::runtime {
namespace {

/// A hardware barrier, by number, of `kThreads` threads.
template <unsigned kNumber, unsigned kThreads> __device__ void barrier() {
  asm volatile("barrier.sync %0, %1;" ::"n"(kNumber), "n"(kThreads) : "memory");
}

/// Implements LaneWaits.h's Block.
struct CudaBlock {
  __device__ uint32_t thread() const { return threadIdx.x; }
  /// A constant, so that an address takes one register plus constants.
  __device__ uint32_t size() const { return kFoldThreads; }
  __device__ bool isPoster() const { return threadIdx.x >= kFoldThreads; }
  __device__ uint32_t poster() const { return threadIdx.x - kFoldThreads; }
  __device__ uint32_t posters() const { return kPostThreads; }
  __device__ uint32_t member() const { return threadIdx.x; }
  __device__ uint32_t members() const { return kBlockThreads; }
  __device__ void sync() const { barrier<0, kBlockThreads>(); }
  __device__ void syncFold() const { barrier<1, kFoldThreads>(); }
  __device__ LaneState &state() const {
    __shared__ LaneState shared;
    return shared;
  }
  __device__ uint64_t nanoseconds() const {
    uint64_t time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
  }
  __device__ void relax() const {}
};

} // namespace
} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_CUDABLOCK_H
