//===- FoldKernel.cu - one fold on a device -------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The core of the interpreter, as a kernel of its own, for every type and
// operator: what keeps runtime/core/ compiling for devices. The kernel that
// runs lanes with channels comes with the CUDA back end.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Geometry.h"
#include "runtime/core/Operators.h"

namespace blink::runtime {

/// Writes the fold of one chunk of a tree's range to `destination`. Any grid.
template <typename T, typename Operator>
__global__ void foldKernel(const T *const *sources, uint32_t numSources,
                           T *destination, ElementRange tree,
                           uint32_t chunkBytes, uint64_t chunk,
                           uint32_t divisor) {
  const ElementRange range = chunkRange(tree, sizeof(T), chunkBytes, chunk);
  const uint64_t stride = uint64_t(gridDim.x) * blockDim.x;
  for (uint64_t i =
           range.begin + uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
       i < range.end; i += stride)
    destination[i] = foldElement<T, Operator>(sources, numSources, i, divisor);
}

#define BLINK_INSTANTIATE(T, OPERATOR)                                         \
  template __global__ void foldKernel<T, OPERATOR>(                            \
      const T *const *, uint32_t, T *, ElementRange, uint32_t, uint64_t,       \
      uint32_t);
#define BLINK_INSTANTIATE_ALL(T)                                               \
  BLINK_INSTANTIATE(T, Sum)                                                    \
  BLINK_INSTANTIATE(T, Prod)                                                   \
  BLINK_INSTANTIATE(T, Max)                                                    \
  BLINK_INSTANTIATE(T, Min)
BLINK_INSTANTIATE_ALL(int8_t)
BLINK_INSTANTIATE_ALL(uint8_t)
BLINK_INSTANTIATE_ALL(int32_t)
BLINK_INSTANTIATE_ALL(uint32_t)
BLINK_INSTANTIATE_ALL(int64_t)
BLINK_INSTANTIATE_ALL(uint64_t)
BLINK_INSTANTIATE_ALL(Half)
BLINK_INSTANTIATE_ALL(float)
BLINK_INSTANTIATE_ALL(double)
BLINK_INSTANTIATE_ALL(BFloat16)

} // namespace blink::runtime
