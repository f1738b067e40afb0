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
#include "runtime/cuda/Pack.h"

namespace blink::runtime {
namespace {

/// A hardware barrier, by number, of `kThreads` threads.
template <unsigned kNumber, unsigned kThreads> __device__ void barrier() {
  asm volatile("barrier.sync %0, %1;" ::"n"(kNumber), "n"(kThreads) : "memory");
}

/// Implements StagedFold.h's Stage: slots of all threads, one after the other.
struct CudaStage {
  uint32_t begin; ///< the thread's part of slot 0, an address of shared memory

  __device__ uint32_t at(uint32_t slot) const {
    return begin + slot * (kFoldThreads * Pack::kBytes);
  }
  __device__ void load(uint32_t slot, const char *pack) const {
#if __CUDA_ARCH__ >= 800
    // Past the first-level cache, as a lane uses what it loads only once.
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at(slot)),
                 "l"(pack)
                 : "memory");
#endif
  }
  __device__ void endGroup() const {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
  }
  template <uint32_t kPacks> __device__ void awaitAllBut(uint32_t left) const {
    // The number is part of the instruction: one for each size of a stage.
    constexpr uint32_t kMost = kStagePacks[0] / kPacks - 1,
                       kMiddle = kStagePacks[1] / kPacks - 1,
                       kLeast = kStagePacks[2] / kPacks - 1;
    if (left >= kMost)
      await<kMost>();
    else if (left >= kMiddle)
      await<kMiddle>();
    else if (left >= kLeast)
      await<kLeast>();
    else
      await<0>();
  }
  template <uint32_t kLeft> __device__ void await() const {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
#endif
  }
  __device__ Pack get(uint32_t slot) const {
    Pack pack;
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(pack.words[0]), "=r"(pack.words[1]),
                   "=r"(pack.words[2]), "=r"(pack.words[3])
                 : "r"(at(slot))
                 : "memory");
    return pack;
  }
};

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
#if __CUDA_ARCH__ >= 800
  static constexpr bool kStages = true;
#else
  static constexpr bool kStages = false; // no asynchronous loads
#endif
  /// The launch decides, as the same code runs on GPUs with more or less shared
  /// memory.
  __device__ uint32_t stagePacks() const {
    uint32_t bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes / stageBytes(1);
  }
  __device__ CudaStage stage() const {
    extern __shared__ uint4 slots[];
    return {uint32_t(__cvta_generic_to_shared(slots + threadIdx.x))};
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
