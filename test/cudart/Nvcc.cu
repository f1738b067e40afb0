//===- Nvcc.cu - a program of nvcc's, for the emulated libcudart ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cuda_runtime.h>

__global__ void store(int *to) { *to = int(threadIdx.x); }

int main() {
  int devices = -1;
  cudaGetDeviceCount(&devices);
  int *memory = nullptr;
  const cudaError_t allocated = cudaMalloc(&memory, sizeof(int));
  cudaGetLastError();
  store<<<1, 32>>>(memory);
  const cudaError_t launched = cudaGetLastError();
  const cudaError_t freed = cudaFree(memory);
  std::printf("%d devices; launch: %s; memory: %s\n", devices,
              cudaGetErrorName(launched),
              cudaGetErrorName(allocated != cudaSuccess ? allocated : freed));
  return 0;
}
