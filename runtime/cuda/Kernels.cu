//===- Kernels.cu - lanes as thread blocks --------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// One kernel for each type and operator, and one for all integers where bits
// are combined. Compiled once for each operator (BLINK_KERNEL_OPERATOR), so
// that the compiler runs on several processors.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/KernelTable.h"
#include "runtime/cuda/Kernels.h"
#include "runtime/cuda/Lane.h"
#include "runtime/plan/Types.h"

namespace blink::runtime {
namespace {

/// A barrier of hardware, by number: all of these threads.
template <unsigned kNumber, unsigned kThreads> __device__ void barrier() {
  asm volatile("barrier.sync %0, %1;" ::"n"(kNumber), "n"(kThreads) : "memory");
}

/// LaneWaits.h's Block.
struct CudaBlock {
  __device__ uint32_t thread() const { return threadIdx.x; }
  /// A constant, so that addresses are one register and constants.
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

template <typename T, typename Operator>
__global__ void __launch_bounds__(kBlockThreads, 1)
    laneKernel(const __grid_constant__ Launch launch) {
  CudaBlock block;
  runBlock<T, Operator>(block, launch, blockIdx.x);
}

template <typename Operator> struct KernelOf {
  template <typename T> const void *operator()(T) const {
    return reinterpret_cast<const void *>(&laneKernel<T, Operator>);
  }
};

} // namespace

template <> const void *kernelOf<BLINK_KERNEL_OPERATOR>(blinkDataType_t type) {
  return withFoldType<BLINK_KERNEL_OPERATOR>(type,
                                             KernelOf<BLINK_KERNEL_OPERATOR>());
}

} // namespace blink::runtime
