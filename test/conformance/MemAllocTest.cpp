//===- MemAllocTest.cpp - memory of blinkMemAlloc on GPUs -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Runs on emulated devices.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Driver.h"
#include "test/conformance/Job.h"
#include "test/emulation/Emulation.h"
#include "test/emulation/Failures.h"
#include "test/emulation/VirtualMemory.h"

#include "doctest/doctest.h"

#include <cstdint>
#include <cstring>
#include <cuda_runtime_api.h>
#include <string>
#include <thread>

using namespace blink;
using namespace blink::test;

namespace {

bool isOpenTo(const void *memory, int device) {
  CUmemLocation location{};
  location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  location.id = device;
  unsigned long long flags = 0;
  return cuMemGetAccess(&flags, &location,
                        reinterpret_cast<CUdeviceptr>(memory)) ==
             CUDA_SUCCESS &&
         flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
}

int deviceOf(const void *memory) {
  int device = -1;
  return cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                               reinterpret_cast<CUdeviceptr>(memory)) ==
                 CUDA_SUCCESS
             ? device
             : -1;
}

} // namespace

TEST_CASE("memory is of the current GPU, for all that reach it") {
  emulatedMachine = {};
  emulatedMachine.devices = 4;
  emulatedMachine.peerBorder = 3;
  const size_t before = numVirtual();
  cudaSetDevice(1);
  void *memory = nullptr;
  constexpr size_t kBytes = (2 << 20) + 1;
  REQUIRE(blinkMemAlloc(&memory, kBytes) == blinkSuccess);
  std::memset(memory, 7, kBytes);
  CHECK(deviceOf(memory) == 1);
  for (int device : {0, 1, 2})
    CHECK(isOpenTo(memory, device));
  CHECK_FALSE(isOpenTo(memory, 3));
  CHECK(blinkMemFree(static_cast<char *>(memory) + 1) == blinkInvalidArgument);
  CHECK(blinkMemFree(memory) == blinkSuccess);
  CHECK(blinkMemFree(memory) == blinkInvalidArgument);
  CHECK(numVirtual() == before);
  CHECK(misuse() == "");
  emulatedMachine = {};
}

TEST_CASE("a thread that has used no GPU gets memory of the host") {
  emulatedMachine = {};
  std::thread([] {
    void *memory = nullptr;
    CHECK(blinkMemAlloc(&memory, 100) == blinkSuccess);
    CHECK(deviceOf(memory) == -1);
    CHECK(std::string(static_cast<char *>(memory), 100) ==
          std::string(100, '\0'));
    CHECK(blinkMemFree(memory) == blinkSuccess);
    cudaSetDevice(2);
    CHECK(blinkMemAlloc(&memory, 100) == blinkSuccess);
    CHECK(deviceOf(memory) == 2);
    CHECK(blinkMemFree(memory) == blinkSuccess);
  }).join();
}

TEST_CASE("where mapped memory cannot be shared it is cudaMalloc's") {
  constexpr int kNotPermitted = 800;
  emulatedMachine = {};
  cudaSetDevice(0);
  const size_t before = numVirtual();
  for (const char *call :
       {"cuDeviceGetAttribute", "cuMemCreate", "cuMemAddressReserve",
        "cuMemMap", "cuMemSetAccess"}) {
    CAPTURE(call);
    failCall(call, 0, kNotPermitted);
    void *memory = nullptr;
    REQUIRE(blinkMemAlloc(&memory, 100) == blinkSuccess);
    CHECK(failuresLeft() == 0);
    CHECK(runtime::driver().cuMemRetainAllocationHandle(nullptr, memory) !=
          CUDA_SUCCESS); // not mapped
    CHECK(deviceOf(memory) == 0);
    CHECK(numVirtual() == before);
    CHECK(blinkMemFree(memory) == blinkSuccess);
    CHECK(deviceOf(memory) == -1);
  }
}

TEST_CASE("GPU memory that is not there is refused") {
  cudaSetDevice(0);
  const size_t before = numVirtual();
  for (size_t bytes : {SIZE_MAX, size_t(PTRDIFF_MAX)}) {
    void *memory = &memory;
    CHECK(blinkMemAlloc(&memory, bytes) == blinkSystemError);
    CHECK(memory == nullptr);
    CHECK(std::string(blinkGetLastError(nullptr))
              .find("cannot allocate " + std::to_string(bytes) +
                    " bytes of GPU memory: ") == 0);
  }
  constexpr int kOutOfMemory = 2;
  failCall("cuMemCreate", 0, kOutOfMemory);
  void *memory = &memory;
  CHECK(blinkMemAlloc(&memory, 100) == blinkSystemError);
  CHECK(memory == nullptr);
  CHECK(numVirtual() == before);
}

TEST_CASE("GPU memory is not freed while it is registered") {
  for (int devices : {1, 2}) {
    emulatedMachine = {};
    emulatedMachine.devices = devices;
    cudaSetDevice(0);
    void *memory = nullptr, *handle = nullptr;
    REQUIRE(blinkMemAlloc(&memory, 1000) == blinkSuccess);
    {
      Job job(makeSchedule(Collective::allreduce, 0, 2, {}), 2);
      char *inside = static_cast<char *>(memory) + 64;
      REQUIRE(blinkCommRegister(job[0], inside, 100, &handle) == blinkSuccess);
      CHECK(blinkMemFree(memory) == blinkInvalidUsage);
      CHECK(blinkCommDeregister(job[0], handle) == blinkSuccess);
      REQUIRE(blinkCommRegister(job[0], inside, 100, &handle) == blinkSuccess);
      CHECK(blinkMemFree(memory) == blinkInvalidUsage);
    }
    CHECK(blinkMemFree(memory) == blinkSuccess);
  }
  emulatedMachine = {};
}
