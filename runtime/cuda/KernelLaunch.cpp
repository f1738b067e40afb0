//===- KernelLaunch.cpp - starting lanes on a device ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/KernelTable.h"
#include "runtime/cuda/Kernels.h"
#include "runtime/plan/Types.h"

#include <algorithm>
#include <atomic>
#include <limits>

namespace blink::runtime {
namespace {

const void *kernelFor(blinkDataType_t type, blinkRedOp_t op) {
  return withOperator(
      op, [type](auto combine) { return kernelOf<decltype(combine)>(type); });
}

/// Returns the kernel for calls whose partial sums are floats, or null if there
/// are no such calls.
const void *wideKernelFor(blinkDataType_t type, blinkRedOp_t op) {
  if (!isWidened(type, op))
    return nullptr;
  return op == blinkProd ? wideKernelOf<Prod>(type) : wideKernelOf<Sum>(type);
}

/// Lowers `least` to the number of blocks of `kernel` that a multiprocessor can
/// run, if there is a kernel, with `stage` bytes of shared memory beside what
/// it has anyway.
cudaError_t lowerToResident(const void *kernel, int &least,
                            unsigned stage = 0) {
  if (!kernel)
    return cudaSuccess;
  // This also loads the kernel.
  cudaFuncAttributes attributes;
  int resident = 0;
  cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
  if (error == cudaSuccess && stage != 0)
    error = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(stage));
  if (error == cudaSuccess)
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &resident, kernel, int(kBlockThreads), stage);
  least = std::min(least, resident);
  return error;
}

/// Bytes of a block's stage on each device, once prepareLanes() has found out.
/// Relaxed: ranks launch after their communicators have been made, which
/// synchronises, and every communicator finds the same.
class Stages {
public:
  static constexpr int kDevices = 256; ///< further devices use no stage

  void set(int device, unsigned bytes) {
    if (device < kDevices)
      bytes_[device].store(bytes, std::memory_order_relaxed);
  }
  unsigned of(int device) const {
    return device < kDevices ? bytes_[device].load(std::memory_order_relaxed)
                             : 0;
  }

private:
  std::atomic<unsigned> bytes_[kDevices] = {};
};
Stages stages;

/// Sets `bytes` to those of the largest stage for which a block of lanes has
/// room on the device beside its own shared memory.
cudaError_t findStage(int device, unsigned &bytes) {
  int most = 0;
  cudaFuncAttributes attributes;
  cudaError_t error = cudaDeviceGetAttribute(
      &most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (error == cudaSuccess)
    error =
        cudaFuncGetAttributes(&attributes, kernelFor(blinkFloat32, blinkSum));
  bytes = 0;
  if (error == cudaSuccess && device < Stages::kDevices)
    for (unsigned packs : kStagePacks)
      if (attributes.sharedSizeBytes + stageBytes(packs) <= size_t(most))
        bytes = std::max(bytes, stageBytes(packs));
  return error;
}

} // namespace

cudaError_t launchLanes(blinkDataType_t type, blinkRedOp_t op, bool staged,
                        uint32_t numBlocks, const Launch &launch,
                        cudaStream_t stream) {
  void *arguments[] = {const_cast<Launch *>(&launch)};
  unsigned stage = 0;
  if (staged) {
    int device = 0;
    const cudaError_t error = cudaGetDevice(&device);
    if (error != cudaSuccess)
      return error;
    stage = stages.of(device);
  }
  const void *kernel = launch.inSwitch ? switchKernelOf(type)
                       : launch.shape.partialBytes != 0
                           ? wideKernelFor(type, op)
                           : kernelFor(type, op);
  return cudaLaunchKernel(kernel, dim3(numBlocks), dim3(kBlockThreads),
                          arguments, stage, stream);
}

cudaError_t launchMessages(uint32_t numBlocks, const MessageLaunch &launch,
                           cudaStream_t stream) {
  void *arguments[] = {const_cast<MessageLaunch *>(&launch)};
  return cudaLaunchKernel(messageKernel(), dim3(numBlocks), dim3(kBlockThreads),
                          arguments, 0, stream);
}

cudaError_t kernelsMulticast(bool &can) {
  constexpr int kHopper = 90;
  cudaFuncAttributes attributes;
  const cudaError_t error =
      cudaFuncGetAttributes(&attributes, switchKernelOf(blinkFloat32));
  // Machine code that was compiled from PTX for older GPUs lacks these
  // instructions, and so does that of an older toolkit (Multimem.h).
  can = error == cudaSuccess && CUDART_VERSION >= 12010 &&
        std::min(attributes.binaryVersion, attributes.ptxVersion) >= kHopper;
  return error;
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
  unsigned stage = 0;
  if (error == cudaSuccess)
    error = findStage(device, stage);
  if (error == cudaSuccess)
    error = lowerToResident(messageKernel(), least);
  for (int type = blinkInt8; type <= blinkFloat8e5m2; ++type)
    for (blinkRedOp_t op : {blinkSum, blinkProd, blinkMax, blinkMin, blinkBand,
                            blinkBor, blinkBxor}) {
      if (error == cudaSuccess)
        error =
            lowerToResident(kernelFor(blinkDataType_t(type), op), least, stage);
      if (error == cudaSuccess)
        error =
            lowerToResident(wideKernelFor(blinkDataType_t(type), op), least);
    }
  for (int type = blinkInt8; type <= blinkFloat8e5m2; ++type)
    if (error == cudaSuccess)
      error =
          lowerToResident(switchKernelOf(blinkDataType_t(type)), least, stage);
  numBlocks = uint32_t(processors) * uint32_t(least);
  if (error == cudaSuccess)
    stages.set(device, stage);
  return error;
}

} // namespace blink::runtime
