//===- KernelLaunch.cpp - starting lanes on a device ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/Types.h"
#include "runtime/cuda/KernelTable.h"
#include "runtime/cuda/Kernels.h"

namespace blink::runtime {

cudaError_t launchLanes(blinkDataType_t type, blinkRedOp_t op,
                        uint32_t numBlocks, const Launch &launch,
                        cudaStream_t stream) {
  const void *kernel = withOperator(
      op, [type](auto combine) { return kernelOf<decltype(combine)>(type); });
  void *arguments[] = {const_cast<Launch *>(&launch)};
  return cudaLaunchKernel(kernel, dim3(numBlocks), dim3(kBlockThreads),
                          arguments, 0, stream);
}

cudaError_t residentLanes(uint32_t &numBlocks) {
  int device = 0, processors = 0, least = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount,
                                   device);
  // Launch bounds promise one block a multiprocessor for every kernel; the
  // largest, of the most accumulators, tells whether there is room for more.
  if (error == cudaSuccess)
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &least, kernelOf<Sum>(blinkInt8), int(kBlockThreads), 0);
  numBlocks = uint32_t(processors) * uint32_t(least);
  return error;
}

} // namespace blink::runtime
