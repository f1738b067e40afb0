//===- SwitchKernels.cu - lanes for which switches work -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// These kernels are separate, so that folds of a switch do not take registers
// from those of all other calls. For architectures before sm_90 they are empty.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBlock.h"
#include "runtime/cuda/KernelTable.h"
#include "runtime/cuda/Kernels.h"
#include "runtime/cuda/Lane.h"
#include "runtime/plan/Types.h"

namespace blink::runtime {
namespace {

template <typename T>
__global__ void __launch_bounds__(kBlockThreads, 1)
    switchKernel(const __grid_constant__ Launch launch) {
#if __CUDA_ARCH__ >= 900
  CudaBlock block;
  runBlock<T, Sum, CudaBlock, true>(block, launch, blockIdx.x);
#endif
}

} // namespace

const void *switchKernelOf(blinkDataType_t type) {
  return withFoldType<Sum>(type, [](auto element) -> const void * {
    using T = decltype(element);
    if constexpr (kSwitchAdds<T>)
      return reinterpret_cast<const void *>(&switchKernel<T>);
    return nullptr;
  });
}

} // namespace blink::runtime
