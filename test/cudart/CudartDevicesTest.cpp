//===- CudartDevicesTest.cpp - emulated devices, through CUDA's ABI -------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The tests in this folder use CUDA's headers and know nothing of the
// emulation.
//
//===----------------------------------------------------------------------===//

#include "doctest/doctest.h"

#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

TEST_CASE("the library is the emulated one, and the driver is there, too") {
  Dl_info info;
  REQUIRE(dladdr(reinterpret_cast<void *>(&cudaGetDeviceCount), &info) != 0);
  CHECK(std::string(info.dli_fname).find("emulation") != std::string::npos);
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  REQUIRE(driver != nullptr);
  const auto range = reinterpret_cast<decltype(&cuMemGetAddressRange)>(
      dlsym(driver, "cuMemGetAddressRange_v2"));
  REQUIRE((range != nullptr));
  void *memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 1000) == cudaSuccess);
  CUdeviceptr begin = 0;
  size_t bytes = 0;
  CHECK(range(&begin, &bytes, reinterpret_cast<CUdeviceptr>(memory) + 999) ==
        CUDA_SUCCESS);
  CHECK(begin == reinterpret_cast<CUdeviceptr>(memory));
  CHECK(bytes == 1000);
  CHECK(cudaFree(memory) == cudaSuccess);
}

TEST_CASE("there are as many devices as the environment says") {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
  CHECK(count == 5); // as CMakeLists.txt says
  CHECK(cudaSetDevice(4) == cudaSuccess);
  CHECK(cudaSetDevice(5) == cudaErrorInvalidDevice);
  CHECK(cudaSetDevice(-1) == cudaErrorInvalidDevice);
  int device = -1;
  CHECK(cudaGetDevice(&device) == cudaSuccess);
  CHECK(device == 4);
  CHECK(cudaSetDevice(0) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("properties, attributes and PCI buses agree") {
  for (int device = 0; device < 5; ++device) {
    struct {
      cudaDeviceProp of;
      char behind[64];
    } all;
    std::memset(&all, 0x5a, sizeof(all));
    REQUIRE(cudaGetDeviceProperties(&all.of, device) == cudaSuccess);
    for (char byte : all.behind)
      REQUIRE(byte == 0x5a);
    CHECK(std::string(all.of.name) == "Emulated GPU");
    CHECK(all.of.totalGlobalMem > (64 << 20));
    CHECK(all.of.warpSize == 32);
    for (int value : all.of.reserved)
      CHECK(value == 0);
    int value = 0;
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrPciBusId, device) ==
          cudaSuccess);
    CHECK(value == all.of.pciBusID);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount,
                                 device) == cudaSuccess);
    CHECK(value == all.of.multiProcessorCount);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxGridDimY, device) ==
          cudaSuccess);
    CHECK(value == 65535);
    CHECK(cudaDeviceGetAttribute(&value, cudaDeviceAttr(9999), device) ==
          cudaErrorInvalidValue);
    char bus[16];
    CHECK(cudaDeviceGetPCIBusId(bus, sizeof(bus), device) == cudaSuccess);
    int again = -1;
    CHECK(cudaDeviceGetByPCIBusId(&again, bus) == cudaSuccess);
    CHECK(again == device);
  }
  cudaDeviceProp none;
  CHECK(cudaGetDeviceProperties(&none, 5) == cudaErrorInvalidDevice);
  cudaGetLastError();
}

TEST_CASE("a thread's last error stays until it is asked for") {
  cudaGetLastError();
  CHECK(cudaSetDevice(99) == cudaErrorInvalidDevice);
  CHECK(cudaSetDevice(0) == cudaSuccess);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(std::string(cudaGetErrorName(cudaErrorInvalidDevice)) ==
        "cudaErrorInvalidDevice");
  CHECK(std::string(cudaGetErrorString(cudaErrorInvalidDevice)) ==
        "invalid device ordinal");
}

TEST_CASE("peers are enabled once") {
  REQUIRE(cudaSetDevice(1) == cudaSuccess);
  int can = 0;
  CHECK(cudaDeviceCanAccessPeer(&can, 1, 2) == cudaSuccess);
  CHECK(can == 1);
  CHECK(cudaDeviceEnablePeerAccess(2, 0) == cudaSuccess);
  CHECK(cudaDeviceEnablePeerAccess(2, 0) == cudaErrorPeerAccessAlreadyEnabled);
  CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorInvalidDevice);
  CHECK(cudaDeviceReset() == cudaSuccess);
  CHECK(cudaDeviceEnablePeerAccess(2, 0) == cudaSuccess);
  CHECK(cudaSetDevice(0) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("a process that was forked cannot use what its parent began") {
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  const pid_t child = fork();
  if (child == 0) {
    int count = 0;
    _exit(cudaGetDeviceCount(&count) == cudaErrorInitializationError ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
