//===- Launch.cpp - programs' kernels on emulated devices -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Kernels compiled for the host (HostKernels.h) run. Kernels in nvcc's machine
// code are known by name only and fail with "invalid device function", as on a
// device for which they were not compiled.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/Calls.h"
#include "test/emulation/CudaRuntime.h"
#include "test/emulation/Emulation.h"
#include "test/emulation/HostKernels.h"

#include <map>
#include <mutex>
#include <vector>

using namespace blink::test;

namespace {

std::mutex kernelsMutex;
std::map<const void *, blinkEmulatedKernel> &kernels() {
  static auto &all = *new std::map<const void *, blinkEmulatedKernel>;
  return all;
}

bool findKernel(const void *kernel, blinkEmulatedKernel &found) {
  const std::lock_guard<std::mutex> lock(kernelsMutex);
  const auto one = kernels().find(kernel);
  if (one != kernels().end())
    found = one->second;
  return one != kernels().end();
}

bool fits(const dim3 &grid, const dim3 &block) {
  const uint64_t threads = uint64_t(block.x) * block.y * block.z;
  return threads != 0 && threads <= 1024 && block.x <= 1024 &&
         block.y <= 1024 && block.z <= 64 && grid.x != 0 && grid.y != 0 &&
         grid.z != 0 && grid.x <= 0x7fffffff && grid.y <= 65535 &&
         grid.z <= 65535;
}

/// The configuration of <<<...>>>, until the launch that follows it.
struct Configuration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};
thread_local std::vector<Configuration> configurations;

} // namespace

cudaError_t blinkEmulateKernel(const void *kernel,
                               const blinkEmulatedKernel *how) {
  const std::lock_guard<std::mutex> lock(kernelsMutex);
  kernels()[kernel] = *how;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block,
                             void **arguments, size_t sharedBytes,
                             cudaStream_t stream) {
  const cudaError_t error = enter(__func__, kContext);
  if (error != cudaSuccess)
    return error;
  blinkEmulatedKernel how;
  if (!findKernel(kernel, how))
    return failed(cudaErrorInvalidDeviceFunction);
  if (!fits(grid, block))
    return failed(cudaErrorInvalidConfiguration);
  if (sharedBytes > kEmulatedSharedBytes)
    return failed(cudaErrorInvalidValue);
  const std::shared_ptr<void> copied(how.copy(arguments), how.drop);
  return enqueue(stream, [run = how.run, copied, grid, block] {
    run(copied.get(), &grid, &block);
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes,
                                  const void *kernel) {
  const cudaError_t error = enter(__func__, kContext);
  if (error != cudaSuccess)
    return error;
  blinkEmulatedKernel how;
  if (!findKernel(kernel, how))
    return failed(cudaErrorInvalidDeviceFunction);
  *attributes = {};
  attributes->maxThreadsPerBlock = 1024;
  attributes->binaryVersion = attributes->ptxVersion = 80;
  attributes->numRegs = 32;
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute what,
                                 int value) {
  const cudaError_t error = enter(__func__, kContext);
  if (error != cudaSuccess)
    return error;
  blinkEmulatedKernel how;
  if (!findKernel(kernel, how))
    return failed(cudaErrorInvalidDeviceFunction);
  const bool isKnown = what == cudaFuncAttributeMaxDynamicSharedMemorySize ||
                       what == cudaFuncAttributePreferredSharedMemoryCarveout;
  const bool isRoom = what != cudaFuncAttributeMaxDynamicSharedMemorySize ||
                      (value >= 0 && unsigned(value) <= kEmulatedSharedBytes);
  return isKnown && isRoom ? cudaSuccess : failed(cudaErrorInvalidValue);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                          const void *kernel,
                                                          int threads,
                                                          size_t sharedBytes) {
  cudaFuncAttributes attributes;
  const cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
  if (error != cudaSuccess)
    return error;
  if (threads <= 0 || threads > attributes.maxThreadsPerBlock)
    return failed(cudaErrorInvalidValue);
  *blocks = sharedBytes > kEmulatedSharedBytes ? 0 : 2048 / threads;
  return cudaSuccess;
}

//===-- What nvcc's code calls by itself ----------------------------------===//

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                     CUstream_st *stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                       void *stream) {
  if (configurations.empty())
    return cudaErrorInvalidConfiguration;
  const Configuration &last = configurations.back();
  *grid = last.grid;
  *block = last.block;
  *shared = last.shared;
  *static_cast<cudaStream_t *>(stream) = last.stream;
  configurations.pop_back();
  return cudaSuccess;
}

void **__cudaRegisterFatBinary(void *) {
  static void *handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
char __cudaInitModule(void **) { return 1; }
void __cudaRegisterFunction(void **, const char *, char *, const char *, int,
                            uint3 *, uint3 *, dim3 *, dim3 *, int *) {}
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int,
                       int) {}

cudaError_t __cudaGetKernel(cudaKernel_t *handle, const void *kernel) {
  *handle = static_cast<cudaKernel_t>(const_cast<void *>(kernel));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void **arguments, size_t shared,
                               cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
}
