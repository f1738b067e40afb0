//===- KernelLaunchTest.cpp - what kernels are launched with --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Emulated devices have a way of their own to start lanes, so here the real
// way is tested, with functions of CUDA that refuse what GPUs refuse: a launch
// with more shared memory than the kernel has been allowed in that context.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/KernelTable.h"
#include "runtime/cuda/Kernels.h"
#include "runtime/cuda/LaneState.h"
#include "runtime/plan/Types.h"

#include "doctest/doctest.h"

#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

using namespace blink::runtime;

namespace {

/// A GPU, and the code that runs on it.
struct Gpu {
  int binaryVersion, ptxVersion;
  int sharedBytes; ///< that a block can have if a kernel is allowed them
  unsigned packs;  ///< of the stage that a thread should have
};
// From the CUDA programming guide, "Compute Capabilities". On 8.6 and 8.9 run
// the code of 8.0 and, compiled by the driver, PTX of 7.5; on 12.0 PTX of 9.0.
constexpr Gpu kGpus[] = {{70, 70, 96 << 10, 0},     {75, 75, 64 << 10, 0},
                         {80, 80, 163 << 10, 12},   {80, 80, 99 << 10, 6},
                         {86, 75, 99 << 10, 0},     {90, 90, 227 << 10, 18},
                         {100, 100, 227 << 10, 18}, {120, 90, 99 << 10, 6}};
constexpr int kNumGpus = int(std::size(kGpus));
constexpr int kProcessors = 100;
/// Shared memory of a block of lanes, and what it may have in addition without
/// being allowed more.
constexpr size_t kOwnBytes = sizeof(LaneState);
constexpr int kUnasked = int((48 << 10) - kOwnBytes);

thread_local int currentDevice = 0;

/// The contexts of all GPUs.
struct Contexts {
  std::mutex mutex;
  std::set<const void *> loaded[kNumGpus];
  std::map<const void *, int> allowed[kNumGpus];
  unsigned calls = 0;     ///< that prepare kernels
  unsigned failAfter = 0; ///< calls after which one fails; 0: none does
  size_t dynamicBytes;    ///< of the last launch
} contexts;

/// Counts a call for a kernel, which loads it. Holds the lock meanwhile.
class Call {
public:
  explicit Call(const void *kernel) {
    REQUIRE(kernel);
    contexts.loaded[currentDevice].insert(kernel);
    failed_ = ++contexts.calls == contexts.failAfter;
  }
  bool failed() const { return failed_; }
  int &allowed(const void *kernel) const {
    return contexts.allowed[currentDevice]
        .try_emplace(kernel, kUnasked)
        .first->second;
  }

private:
  std::lock_guard<std::mutex> lock_{contexts.mutex};
  bool failed_;
};

void resetDevice(int device) {
  contexts.loaded[device].clear();
  contexts.allowed[device].clear();
}

/// Stands for a kernel, and starts nothing.
template <typename T, typename Operator> void kernel() {}
template <typename Operator> const void *kernelOfType(blinkDataType_t type) {
  return withFoldType<Operator>(type, [](auto element) {
    return reinterpret_cast<const void *>(&kernel<decltype(element), Operator>);
  });
}
struct Wide {};
struct Switch {};

unsigned prepared(int device) {
  currentDevice = device;
  uint32_t numBlocks = 0;
  CHECK(prepareLanes(numBlocks) == cudaSuccess);
  return numBlocks;
}

/// Returns the bytes of stages with which lanes are launched.
size_t launched(int device, blinkDataType_t type, blinkRedOp_t op, bool staged,
                bool inSwitch = false) {
  currentDevice = device;
  Launch launch{};
  launch.inSwitch = inSwitch;
  CHECK(launchLanes(type, op, staged, 1, launch, nullptr) == cudaSuccess);
  return contexts.dynamicBytes;
}

/// Whether each kernel that can have a stage can be launched with it.
void checkLaunches(int device) {
  CAPTURE(kGpus[device].binaryVersion);
  CAPTURE(kGpus[device].ptxVersion);
  const unsigned stage = stageBytes(kGpus[device].packs);
  for (int number = blinkInt8; number <= blinkFloat8e5m2; ++number) {
    const auto type = blinkDataType_t(number);
    for (blinkRedOp_t op : {blinkSum, blinkAvg, blinkProd, blinkMax, blinkMin})
      CHECK(launched(device, type, op, true) == stage);
    CHECK(launched(device, type, blinkSum, false) == 0);
    if (switchAdds(type))
      CHECK(launched(device, type, blinkSum, true, true) == stage);
  }
  for (blinkRedOp_t op : {blinkBand, blinkBor, blinkBxor})
    CHECK(launched(device, blinkInt64, op, true) == stage);
}

} // namespace

namespace blink::runtime {

template <> const void *kernelOf<Sum>(blinkDataType_t type) {
  return kernelOfType<Sum>(type);
}
template <> const void *kernelOf<Prod>(blinkDataType_t type) {
  return kernelOfType<Prod>(type);
}
template <> const void *kernelOf<Max>(blinkDataType_t type) {
  return kernelOfType<Max>(type);
}
template <> const void *kernelOf<Min>(blinkDataType_t type) {
  return kernelOfType<Min>(type);
}
template <> const void *kernelOf<Band>(blinkDataType_t type) {
  return kernelOfType<Band>(type);
}
template <> const void *kernelOf<Bor>(blinkDataType_t type) {
  return kernelOfType<Bor>(type);
}
template <> const void *kernelOf<Bxor>(blinkDataType_t type) {
  return kernelOfType<Bxor>(type);
}
template <> const void *wideKernelOf<Sum>(blinkDataType_t) {
  return reinterpret_cast<const void *>(&kernel<Wide, Sum>);
}
template <> const void *wideKernelOf<Prod>(blinkDataType_t) {
  return reinterpret_cast<const void *>(&kernel<Wide, Prod>);
}
const void *switchKernelOf(blinkDataType_t type) {
  return switchAdds(type) ? kernelOfType<Switch>(type) : nullptr;
}
const void *messageKernel() {
  return reinterpret_cast<const void *>(&kernel<uint8_t, Wide>);
}
const void *clockKernel() {
  return reinterpret_cast<const void *>(&kernel<uint64_t, Wide>);
}

} // namespace blink::runtime

//===-- CUDA -------------------------------------------------------------===//

cudaError_t cudaGetDevice(int *device) {
  *device = currentDevice;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute,
                                   int device) {
  if (attribute == cudaDevAttrMultiProcessorCount)
    *value = kProcessors;
  else if (attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin)
    *value = kGpus[device].sharedBytes;
  else
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes,
                                  const void *function) {
  const Call call(function);
  *attributes = {};
  attributes->binaryVersion = kGpus[currentDevice].binaryVersion;
  attributes->ptxVersion = kGpus[currentDevice].ptxVersion;
  attributes->sharedSizeBytes = kOwnBytes;
  attributes->maxDynamicSharedSizeBytes = call.allowed(function);
  return call.failed() ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *function,
                                 cudaFuncAttribute attribute, int value) {
  const Call call(function);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize ||
      size_t(value) + kOwnBytes > size_t(kGpus[currentDevice].sharedBytes))
    return cudaErrorInvalidValue;
  if (call.failed())
    return cudaErrorMemoryAllocation;
  call.allowed(function) = value;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                          const void *function,
                                                          int threads,
                                                          size_t dynamicBytes) {
  const Call call(function);
  CHECK(threads == int(kBlockThreads));
  *blocks = dynamicBytes <= size_t(call.allowed(function)) ? 1 : 0;
  return call.failed() ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *function, dim3, dim3, void **,
                             size_t dynamicBytes, cudaStream_t) {
  const std::lock_guard<std::mutex> lock(contexts.mutex);
  // A kernel that is loaded now may wait for others, and these for it.
  CHECK(contexts.loaded[currentDevice].count(function) == 1);
  contexts.dynamicBytes = dynamicBytes;
  const auto allowed = contexts.allowed[currentDevice].find(function);
  const int most = allowed == contexts.allowed[currentDevice].end()
                       ? kUnasked
                       : allowed->second;
  return dynamicBytes <= size_t(most) ? cudaSuccess : cudaErrorInvalidValue;
}

//===----------------------------------------------------------------------===//

TEST_CASE("each GPU has the largest stage that its code uses") {
  for (int device = 0; device < kNumGpus; ++device)
    CHECK(prepared(device) == kProcessors);
  for (int device = 0; device < kNumGpus; ++device)
    checkLaunches(device);
}

TEST_CASE("kernels are prepared once for each context of a GPU") {
  constexpr int kDevice = 5;
  resetDevice(kDevice);
  for (int context = 0; context < 2; ++context) {
    CHECK(prepared(kDevice) == kProcessors);
    const unsigned before = contexts.calls;
    for (int i = 0; i < 10; ++i)
      CHECK(prepared(kDevice) == kProcessors);
    CHECK(contexts.calls - before == 10);
    checkLaunches(kDevice);
    resetDevice(kDevice);
  }
}

TEST_CASE("what could not be prepared is prepared the next time") {
  constexpr int kDevice = 2;
  resetDevice(kDevice);
  uint32_t numBlocks = 0;
  currentDevice = kDevice;
  // After some of them the first kernel has its stage, and others do not.
  for (unsigned after : {1, 2, 10, 50, 100, 150}) {
    contexts.failAfter = contexts.calls + after;
    CHECK(prepareLanes(numBlocks) == cudaErrorMemoryAllocation);
    contexts.failAfter = 0;
    CHECK(prepared(kDevice) == kProcessors);
    checkLaunches(kDevice);
    resetDevice(kDevice);
  }
}

TEST_CASE("threads that prepare a GPU at the same time all find it prepared") {
  constexpr int kDevice = 3;
  resetDevice(kDevice);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([] {
      CHECK(prepared(kDevice) == kProcessors);
      currentDevice = kDevice;
      const Launch launch{};
      for (int type = blinkInt8; type <= blinkFloat8e5m2; ++type)
        CHECK(launchLanes(blinkDataType_t(type), blinkMin, true, 1, launch,
                          nullptr) == cudaSuccess);
    });
  for (std::thread &thread : threads)
    thread.join();
}
