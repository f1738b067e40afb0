//===- CudartMemoryTest.cpp - emulated memory, through CUDA's ABI ---------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "doctest/doctest.h"

#include <cuda_runtime.h>
#include <vector>

TEST_CASE("no bytes are no memory, and too many are none, too") {
  void *memory = &memory;
  CHECK(cudaMalloc(&memory, 0) == cudaSuccess);
  CHECK(memory == nullptr);
  CHECK(cudaFree(nullptr) == cudaSuccess);
  size_t free = 0, total = 0;
  CHECK(cudaMemGetInfo(&free, &total) == cudaSuccess);
  CHECK(free <= total);
  CHECK(cudaMalloc(&memory, total + 1) == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
}

TEST_CASE("copies go where they say, and no further") {
  int *device = nullptr, *other = nullptr;
  constexpr size_t kBytes = 256 * sizeof(int);
  REQUIRE(cudaMalloc(&device, kBytes) == cudaSuccess);
  REQUIRE(cudaMalloc(&other, kBytes) == cudaSuccess);
  std::vector<int> there(256), back(256);
  for (int i = 0; i < 256; ++i)
    there[size_t(i)] = i * i;
  CHECK(cudaMemcpy(device, there.data(), kBytes, cudaMemcpyHostToDevice) ==
        cudaSuccess);
  CHECK(cudaMemcpy(other, device, kBytes, cudaMemcpyDeviceToDevice) ==
        cudaSuccess);
  CHECK(cudaMemcpy(back.data(), other, kBytes, cudaMemcpyDefault) ==
        cudaSuccess);
  CHECK(back == there);
  CHECK(cudaMemset(device, 0xff, kBytes) == cudaSuccess);
  CHECK(cudaMemcpy(back.data(), device, kBytes, cudaMemcpyDeviceToHost) ==
        cudaSuccess);
  CHECK(back[255] == -1);

  CHECK(cudaMemcpy(device, there.data(), kBytes + 1, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidValue);
  CHECK(cudaMemcpy(there.data(), back.data(), 4, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidValue);
  CHECK(cudaMemcpy(device, there.data(), 4, cudaMemcpyKind(9)) ==
        cudaErrorInvalidMemcpyDirection);
  CHECK(cudaMemset(there.data(), 0, 4) == cudaErrorInvalidValue);
  CHECK(cudaFreeHost(device) == cudaErrorInvalidValue);
  CHECK(cudaFree(device + 1) == cudaErrorInvalidValue);
  CHECK(cudaFree(device) == cudaSuccess);
  CHECK(cudaFree(device) == cudaErrorInvalidValue);
  CHECK(cudaFree(other) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("pointers say what they are") {
  REQUIRE(cudaSetDevice(3) == cudaSuccess);
  void *device = nullptr, *pinned = nullptr;
  REQUIRE(cudaMalloc(&device, 100) == cudaSuccess);
  REQUIRE(cudaHostAlloc(&pinned, 100, cudaHostAllocMapped) == cudaSuccess);
  std::vector<char> plain(100);
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  cudaPointerAttributes of{};
  CHECK(cudaPointerGetAttributes(&of, static_cast<char *>(device) + 99) ==
        cudaSuccess);
  CHECK(of.type == cudaMemoryTypeDevice);
  CHECK(of.device == 3);
  CHECK(of.hostPointer == nullptr);
  CHECK(cudaPointerGetAttributes(&of, pinned) == cudaSuccess);
  CHECK(of.type == cudaMemoryTypeHost);
  CHECK(of.hostPointer == pinned);
  CHECK(cudaPointerGetAttributes(&of, plain.data()) == cudaSuccess);
  CHECK(of.type == cudaMemoryTypeUnregistered);
  CHECK(of.devicePointer == nullptr);

  CHECK(cudaHostRegister(plain.data(), 100, cudaHostRegisterPortable) ==
        cudaSuccess);
  CHECK(cudaHostRegister(plain.data() + 50, 10, cudaHostRegisterPortable) ==
        cudaErrorHostMemoryAlreadyRegistered);
  CHECK(cudaPointerGetAttributes(&of, plain.data() + 99) == cudaSuccess);
  CHECK(of.type == cudaMemoryTypeHost);
  CHECK(cudaHostUnregister(plain.data()) == cudaSuccess);
  CHECK(cudaHostUnregister(plain.data()) == cudaErrorHostMemoryNotRegistered);
  CHECK(cudaFree(device) == cudaSuccess);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("a device that is reset has no memory left, and others keep theirs") {
  void *here = nullptr, *there = nullptr;
  REQUIRE(cudaSetDevice(2) == cudaSuccess);
  REQUIRE(cudaMalloc(&there, 100) == cudaSuccess);
  REQUIRE(cudaSetDevice(1) == cudaSuccess);
  REQUIRE(cudaMalloc(&here, 100) == cudaSuccess);
  CHECK(cudaDeviceReset() == cudaSuccess);
  CHECK(cudaFree(here) == cudaErrorInvalidValue);
  CHECK(cudaFree(there) == cudaSuccess);
  CHECK(cudaSetDevice(0) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("a handle of another process's memory is not for its own") {
  void *memory = nullptr, *opened = nullptr;
  REQUIRE(cudaMalloc(&memory, 100) == cudaSuccess);
  cudaIpcMemHandle_t handle;
  static_assert(sizeof(handle) == 64);
  CHECK(cudaIpcGetMemHandle(&handle, memory) == cudaSuccess);
  CHECK(cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess) ==
        cudaErrorDeviceUninitialized);
  CHECK(cudaFree(memory) == cudaSuccess);
  cudaGetLastError();
}
