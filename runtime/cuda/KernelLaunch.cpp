//===- KernelLaunch.cpp - starting lanes on a device ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/KernelTable.h"
#include "runtime/cuda/Kernels.h"
#include "runtime/plan/Types.h"

#include <algorithm>
#include <limits>

namespace blink::runtime {
namespace {

const void *kernelFor(blinkDataType_t type, blinkRedOp_t op) {
  return withOperator(
      op, [type](auto combine) { return kernelOf<decltype(combine)>(type); });
}

/// Lowers `least` to what a multiprocessor can run of a kernel, if there is
/// one.
cudaError_t lowerToResident(const void *kernel, int &least) {
  if (!kernel)
    return cudaSuccess;
  // Loads the kernel, too.
  cudaFuncAttributes attributes;
  int resident = 0;
  cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
  if (error == cudaSuccess)
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &resident, kernel, int(kBlockThreads), 0);
  least = std::min(least, resident);
  return error;
}

} // namespace

cudaError_t launchLanes(blinkDataType_t type, blinkRedOp_t op,
                        uint32_t numBlocks, const Launch &launch,
                        cudaStream_t stream) {
  void *arguments[] = {const_cast<Launch *>(&launch)};
  return cudaLaunchKernel(kernelFor(type, op), dim3(numBlocks),
                          dim3(kBlockThreads), arguments, 0, stream);
}

cudaError_t launchMessages(uint32_t numBlocks, const MessageLaunch &launch,
                           cudaStream_t stream) {
  void *arguments[] = {const_cast<MessageLaunch *>(&launch)};
  return cudaLaunchKernel(messageKernel(), dim3(numBlocks), dim3(kBlockThreads),
                          arguments, 0, stream);
}

cudaError_t launchClock(uint64_t *time, cudaStream_t stream) {
  void *arguments[] = {&time};
  return cudaLaunchKernel(clockKernel(), dim3(1), dim3(1), arguments, 0,
                          stream);
}

cudaError_t prepareLanes(uint32_t &numBlocks) {
  int device = 0, processors = 0, least = std::numeric_limits<int>::max();
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount,
                                   device);
  if (error == cudaSuccess)
    error = lowerToResident(messageKernel(), least);
  for (int type = blinkInt8; type <= blinkFloat8e5m2; ++type)
    for (blinkRedOp_t op : {blinkSum, blinkProd, blinkMax, blinkMin, blinkBand,
                            blinkBor, blinkBxor})
      if (error == cudaSuccess)
        error = lowerToResident(kernelFor(blinkDataType_t(type), op), least);
  numBlocks = uint32_t(processors) * uint32_t(least);
  return error;
}

} // namespace blink::runtime
