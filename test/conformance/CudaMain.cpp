//===- CudaMain.cpp - the suite on the GPUs of this machine ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#define DOCTEST_CONFIG_IMPLEMENT
#include "doctest/doctest.h"

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime_api.h>

int main(int argc, char **argv) {
  // Several ranks share a GPU, each with its own stream. Kernels that wait for
  // each other must not share a hardware queue.
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    std::printf("blink_cuda_test: no GPU: %s; nothing was tested\n",
                error != cudaSuccess ? cudaGetErrorString(error)
                                     : "none is there");
    return 0;
  }
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, device) == cudaSuccess)
      std::printf("GPU %d: %s, sm_%d%d, %d multiprocessors\n", device,
                  properties.name, properties.major, properties.minor,
                  properties.multiProcessorCount);
  }
  return doctest::Context(argc, argv).run();
}
