//===- EmulatedMulticastTest.cpp - the rules of multicast objects ---------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Checks that the emulation is as strict as CUDA's manual, for one process and
// for several that share an object. Otherwise tests on the emulation would
// prove nothing.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/MappedMemory.h"
#include "test/emulation/Emulation.h"
#include "test/emulation/Multicast.h"
#include "test/emulation/VirtualMemory.h"

#include "doctest/doctest.h"

#include <csignal>
#include <cstdio>
#include <functional>
#include <memory>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace blink;
using namespace blink::test;
using runtime::AllocationHandle;
using runtime::MappedMemory;

namespace {

constexpr size_t kBytes = 2 * kVirtualGranularity;
constexpr auto kOfWindows = CUmemAllocationHandleType(2);
constexpr auto kFile = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

/// Makes an object for two devices.
CUresult makeObject(AllocationHandle &object, bool shared,
                    size_t bytes = kBytes) {
  CUmulticastObjectProp properties{};
  properties.numDevices = 2;
  properties.size = bytes;
  properties.handleTypes = shared ? kFile : 0;
  return object.take([&](CUmemGenericAllocationHandle *handle) {
    return cuMulticastCreate(handle, &properties);
  });
}

CUresult makeMemory(AllocationHandle &memory, int device, bool shared,
                    size_t bytes = kBytes) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = runtime::accessOf(device).location;
  if (shared)
    properties.requestedHandleTypes = kFile;
  return memory.take([&](CUmemGenericAllocationHandle *handle) {
    return cuMemCreate(handle, bytes, &properties, 0);
  });
}

CUresult bind(const AllocationHandle &object, const AllocationHandle &memory,
              size_t bytes = kBytes) {
  return cuMulticastBindMem(object.get(), 0, memory.get(), 0, bytes, 0);
}

CUresult import(AllocationHandle &object, int file,
                CUmemAllocationHandleType type = kFile) {
  return object.take([&](CUmemGenericAllocationHandle *handle) {
    return cuMemImportFromShareableHandle(
        handle, reinterpret_cast<void *>(uintptr_t(file)), type);
  });
}

CUresult map(MappedMemory &mapped, const AllocationHandle &object) {
  const CUresult result = mapped.reserve(kBytes);
  return result == CUDA_SUCCESS ? mapped.add(object, kBytes) : result;
}

/// Runs `body` in a child process and returns the child's wait status: 0 if
/// `body` returned true, else a failure or a signal.
int inChild(const std::function<bool()> &body) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{};
    setrlimit(RLIMIT_CORE, &none);
    for (int number : {SIGSEGV, SIGABRT}) // the test program has handlers
      signal(number, SIG_DFL);
    freopen("/dev/null", "w", stderr);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

} // namespace

TEST_CASE("objects take devices first, then memory, each once") {
  emulatedMachine = {};
  AllocationHandle odd, object, first, second, small, again;
  CHECK(makeObject(odd, false, kBytes + 4096) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(makeObject(object, false) == CUDA_SUCCESS);
  REQUIRE(makeMemory(first, 0, false) == CUDA_SUCCESS);
  REQUIRE(makeMemory(second, 1, false) == CUDA_SUCCESS);
  REQUIRE(makeMemory(again, 1, false) == CUDA_SUCCESS);
  REQUIRE(makeMemory(small, 1, false, kVirtualGranularity) == CUDA_SUCCESS);
  CHECK(cuMulticastAddDevice(first.get(), 0) != CUDA_SUCCESS); // not an object
  CHECK(cuMulticastAddDevice(object.get(), 0) == CUDA_SUCCESS);
  CHECK(cuMulticastAddDevice(object.get(), 0) != CUDA_SUCCESS); // a second time
  // Devices are still missing.
  CHECK(bind(object, first) != CUDA_SUCCESS);
  {
    MappedMemory early;
    CHECK(map(early, object) != CUDA_SUCCESS);
  }
  CHECK(cuMulticastAddDevice(object.get(), 1) == CUDA_SUCCESS);
  CHECK(cuMulticastAddDevice(object.get(), 2) != CUDA_SUCCESS); // one too many
  CHECK(bind(object, object) != CUDA_SUCCESS);
  CHECK(bind(object, first) == CUDA_SUCCESS);
  CHECK(cuMulticastAddDevice(object.get(), 2) != CUDA_SUCCESS);
  CHECK(bind(object, first) != CUDA_SUCCESS);
  CHECK(bind(object, small) != CUDA_SUCCESS);
  CHECK(bind(object, small, kVirtualGranularity) != CUDA_SUCCESS);
  CHECK(bind(object, second) == CUDA_SUCCESS);
  CHECK(bind(object, again) != CUDA_SUCCESS);
  CHECK(cuMulticastUnbind(object.get(), 2, 0, kBytes) != CUDA_SUCCESS);
  CHECK(cuMulticastUnbind(object.get(), 1, 0, kBytes) == CUDA_SUCCESS);
  CHECK(cuMulticastUnbind(object.get(), 1, 0, kBytes) != CUDA_SUCCESS);
}

TEST_CASE("processes share an object by a file, if it was made for that") {
  emulatedMachine = {};
  AllocationHandle closed, object, own, ownClosed;
  REQUIRE(makeObject(closed, false) == CUDA_SUCCESS);
  REQUIRE(makeObject(object, true) == CUDA_SUCCESS);
  int file = -1;
  CHECK(cuMemExportToShareableHandle(&file, closed.get(), kFile, 0) !=
        CUDA_SUCCESS);
  REQUIRE(cuMemExportToShareableHandle(&file, object.get(), kFile, 0) ==
          CUDA_SUCCESS);
  CHECK(cuMulticastAddDevice(object.get(), 0) == CUDA_SUCCESS);
  REQUIRE(makeMemory(own, 0, true) == CUDA_SUCCESS);
  REQUIRE(makeMemory(ownClosed, 0, false) == CUDA_SUCCESS);
  CHECK(bind(object, own) != CUDA_SUCCESS);
  // The other process's binding takes effect here, too, and outlives that
  // process.
  CHECK(inChild([&] {
          AllocationHandle wrong, imported, memory;
          return import(wrong, file, kOfWindows) != CUDA_SUCCESS &&
                 import(imported, file) == CUDA_SUCCESS &&
                 cuMulticastAddDevice(imported.get(), 0) != CUDA_SUCCESS &&
                 cuMulticastAddDevice(imported.get(), 1) == CUDA_SUCCESS &&
                 makeMemory(memory, 1, true) == CUDA_SUCCESS &&
                 bind(imported, memory) == CUDA_SUCCESS;
        }) == 0);
  close(file);
  CHECK(cuMulticastAddDevice(object.get(), 2) != CUDA_SUCCESS);
  CHECK(bind(object, ownClosed) != CUDA_SUCCESS);
  MappedMemory all, mine;
  REQUIRE(map(all, object) == CUDA_SUCCESS);
  REQUIRE(all.openTo(0) == CUDA_SUCCESS);
  // The object's addresses are useless until all devices have bound memory.
  // After that, plain loads from them still fault.
  CHECK(WTERMSIG(inChild(
            [&] { return !multicastParts(all.begin()).empty(); })) == SIGABRT);
  REQUIRE(map(mine, own) == CUDA_SUCCESS);
  REQUIRE(mine.openTo(0) == CUDA_SUCCESS);
  mine.begin()[kBytes - 1] = 5;
  CHECK(bind(object, own) == CUDA_SUCCESS);
  CHECK(mine.begin()[kBytes - 1] == 5);
  CHECK(WTERMSIG(inChild([&] { return *all.begin() == 0; })) == SIGSEGV);
  CHECK(WTERMSIG(inChild([&] {
          return !multicastParts(all.begin() + 8).empty();
        })) == SIGABRT);
  const std::vector<char *> parts = multicastParts(all.begin() + kBytes - 16);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0][15] == 5);
  parts[0][14] = 6;
  CHECK(mine.begin()[kBytes - 2] == 6);
}
