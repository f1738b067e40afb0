//===- KernelLaunch.cpp - starting lanes on a device ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/KernelTable.h"
#include "runtime/cuda/Kernels.h"
#include "runtime/cuda/LowLatency.h"
#include "runtime/plan/Types.h"
#include "schedules/ChunkSize.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <mutex>

namespace blink::runtime {
namespace {

static_assert(kFoldThreads * kLineData == sched::kWaveBytes);

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

/// What prepareLanes() has found out about a device.
struct PreparedDevice {
  std::mutex mutex;       ///< held by who prepares the device
  uint32_t numBlocks = 0; ///< 0: not prepared
  /// Bytes of a block's stage. Launches read it without the mutex: who prepares
  /// the device may have to wait for kernels that wait for these launches.
  std::atomic<unsigned> stage{0};
};

PreparedDevice &preparedDevice(int device) {
  static std::mutex mutex;
  // Never destroyed: communicators may outlive this file's variables.
  static auto &devices = *new std::map<int, PreparedDevice>;
  const std::lock_guard<std::mutex> lock(mutex);
  return devices[device];
}

/// Sets `bytes` to those of the largest stage for which a block of lanes has
/// room on the device beside its own shared memory.
cudaError_t findStage(int device, const cudaFuncAttributes &attributes,
                      unsigned &bytes) {
  constexpr int kAmpere = 80; // its code is the first to use stages
  int most = 0;
  const cudaError_t error = cudaDeviceGetAttribute(
      &most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  bytes = 0;
  if (error == cudaSuccess &&
      std::min(attributes.binaryVersion, attributes.ptxVersion) >= kAmpere)
    for (unsigned packs : kStagePacks)
      if (attributes.sharedSizeBytes + stageBytes(packs) <= size_t(most))
        bytes = std::max(bytes, stageBytes(packs));
  return error;
}

/// Loads all kernels on the device, and allows them their stages.
/// `attributes`: those of any of kernelFor's kernels.
cudaError_t prepare(int device, const cudaFuncAttributes &attributes,
                    PreparedDevice &prepared) {
  prepared.numBlocks = 0;
  int processors = 0, least = std::numeric_limits<int>::max();
  unsigned stage = 0;
  cudaError_t error = cudaDeviceGetAttribute(
      &processors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess)
    error = findStage(device, attributes, stage);
  const auto add = [&](const void *kernel, unsigned bytes) {
    if (error == cudaSuccess)
      error = lowerToResident(kernel, least, bytes);
  };
  add(messageKernel(), 0);
  for (int number = blinkInt8; number <= blinkFloat8e5m2; ++number) {
    const auto type = blinkDataType_t(number);
    for (blinkRedOp_t op : {blinkSum, blinkProd, blinkMax, blinkMin, blinkBand,
                            blinkBor, blinkBxor}) {
      add(kernelFor(type, op), stage);
      add(wideKernelFor(type, op), 0);
    }
    add(switchKernelOf(type), stage);
  }
  if (error != cudaSuccess)
    return error;
  prepared.stage = stage;
  prepared.numBlocks = uint32_t(processors) * uint32_t(least);
  return cudaSuccess;
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
    stage = preparedDevice(device).stage;
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
  can = error == cudaSuccess && CUDART_VERSION >= 12020 &&
        std::min(attributes.binaryVersion, attributes.ptxVersion) >= kHopper;
  return error;
}

cudaError_t launchClock(uint64_t *time, cudaStream_t stream) {
  void *arguments[] = {&time};
  return cudaLaunchKernel(clockKernel(), dim3(1), dim3(1), arguments, 0,
                          stream);
}

cudaError_t prepareLanes(uint32_t &numBlocks) {
  int device = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess)
    return error;
  PreparedDevice &prepared = preparedDevice(device);
  const std::lock_guard<std::mutex> lock(prepared.mutex);
  cudaFuncAttributes attributes{};
  error = cudaFuncGetAttributes(&attributes, kernelFor(blinkFloat32, blinkSum));
  // Once is enough, but cudaDeviceReset() forgets kernels and what they may
  // have, and that shows in what this one may have. Without stages nothing
  // shows it.
  const unsigned stage = prepared.stage;
  const bool isPrepared = prepared.numBlocks != 0 && stage != 0 &&
                          attributes.maxDynamicSharedSizeBytes == int(stage);
  if (error == cudaSuccess && !isPrepared)
    error = prepare(device, attributes, prepared);
  numBlocks = prepared.numBlocks;
  return error;
}

} // namespace blink::runtime
