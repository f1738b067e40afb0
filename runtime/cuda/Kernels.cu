//===- Kernels.cu - lanes as thread blocks --------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// One kernel for each type and operator, but a single one for all integer types
// if the operator combines bits, and another one for each narrow type and
// operator whose partial sums may be floats. This file is compiled once for
// each operator (BLINK_KERNEL_OPERATOR), so that the compiler runs on several
// processors.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBlock.h"
#include "runtime/cuda/KernelTable.h"
#include "runtime/cuda/Kernels.h"
#include "runtime/cuda/Lane.h"
#include "runtime/plan/Types.h"

namespace blink::runtime {
namespace {

template <typename T, typename Operator>
__global__ void __launch_bounds__(kBlockThreads, 1)
    laneKernel(const __grid_constant__ Launch launch) {
  CudaBlock block;
  runBlock<T, Operator>(block, launch, blockIdx.x);
}

template <typename T, typename Operator>
__global__ void __launch_bounds__(kBlockThreads, 1)
    wideKernel(const __grid_constant__ Launch launch) {
  CudaBlock block;
  runBlock<T, Operator, CudaBlock, false, true>(block, launch, blockIdx.x);
}

template <typename Operator> struct WideKernelOf {
  template <typename T> const void *operator()(T) const {
    if constexpr (std::is_class_v<T>)
      return reinterpret_cast<const void *>(&wideKernel<T, Operator>);
    else
      return nullptr;
  }
};

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

#if BLINK_WIDE_KERNELS
template <>
const void *wideKernelOf<BLINK_KERNEL_OPERATOR>(blinkDataType_t type) {
  return withType(type, WideKernelOf<BLINK_KERNEL_OPERATOR>());
}
#endif

} // namespace blink::runtime
