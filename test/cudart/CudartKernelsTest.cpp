//===- CudartKernelsTest.cpp - programs' kernels on emulated devices ------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/HostKernels.h"

#include "doctest/doctest.h"

#include <vector>

namespace {

__global__ void fill(unsigned *data, unsigned factor, size_t count) {
  const size_t i =
      (size_t(blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count)
    data[i] = unsigned(i) * factor;
}
__global__ void unknown() {}

} // namespace

BLINK_EMULATED_KERNEL(fill)

namespace {

constexpr size_t kCount = 1000;

/// Starts `fill` with arguments that no longer exist when it runs.
cudaError_t start(unsigned *data, unsigned factor, cudaStream_t stream) {
  size_t count = kCount;
  void *arguments[] = {&data, &factor, &count};
  const cudaError_t error =
      cudaLaunchKernel(reinterpret_cast<const void *>(&fill), dim3(4, 3),
                       dim3(96), arguments, 0, stream);
  data = nullptr;
  factor = 0;
  count = 0;
  return error;
}

bool isFilled(const unsigned *data, unsigned factor) {
  std::vector<unsigned> back(kCount);
  if (cudaMemcpy(back.data(), data, kCount * sizeof(unsigned),
                 cudaMemcpyDeviceToHost) != cudaSuccess)
    return false;
  for (size_t i = 0; i < kCount; ++i)
    if (back[i] != unsigned(i) * factor)
      return false;
  return true;
}

} // namespace

TEST_CASE("kernels run with the arguments that they were launched with") {
  unsigned *data = nullptr;
  REQUIRE(cudaMalloc(&data, kCount * sizeof(unsigned)) == cudaSuccess);
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  CHECK(start(data, 7, stream) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(isFilled(data, 7));

  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) ==
          cudaSuccess);
  CHECK(start(data, 9, stream) == cudaSuccess);
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(isFilled(data, 7)); // the kernel did not run
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(isFilled(data, 9));
  CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(cudaFree(data) == cudaSuccess);
}

TEST_CASE("launches that a device could not run are refused") {
  const auto *known = reinterpret_cast<const void *>(&fill);
  const auto *other = reinterpret_cast<const void *>(&unknown);
  unsigned *data = nullptr, factor = 1;
  size_t count = 0;
  void *arguments[] = {&data, &factor, &count};
  const auto launch = [&](const void *kernel, dim3 grid, dim3 block,
                          size_t shared = 0) {
    return cudaLaunchKernel(kernel, grid, block, arguments, shared, nullptr);
  };
  CHECK(launch(known, dim3(1), dim3(1024)) == cudaSuccess);
  CHECK(launch(known, dim3(1), dim3(1025)) == cudaErrorInvalidConfiguration);
  CHECK(launch(known, dim3(0), dim3(1)) == cudaErrorInvalidConfiguration);
  CHECK(launch(known, dim3(1, 65536), dim3(1)) ==
        cudaErrorInvalidConfiguration);
  CHECK(launch(known, dim3(1), dim3(1), 1 << 20) == cudaErrorInvalidValue);
  CHECK(launch(other, dim3(1), dim3(1)) == cudaErrorInvalidDeviceFunction);
  CHECK(cudaFuncSetAttribute(known, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             4096) == cudaSuccess);
  CHECK(cudaFuncSetAttribute(other, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             4096) == cudaErrorInvalidDeviceFunction);
  int blocks = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, known, 256, 0) ==
        cudaSuccess);
  CHECK(blocks == 8);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  cudaGetLastError();
}
