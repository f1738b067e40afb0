//===- RegisteredTest.cpp - registering memory of every kind --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Runs on emulated devices, which are strict about registration and whose calls
// a test can let fail.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Launch.h"
#include "test/conformance/GpuMemory.h"
#include "test/conformance/Workers.h"
#include "test/emulation/Emulation.h"
#include "test/emulation/VirtualMemory.h"

#include "doctest/doctest.h"

#include <atomic>

using namespace blink;
using namespace blink::test;

namespace {

BuildOptions layout() {
  BuildOptions options;
  options.treesPerBlock = 2;
  options.chunkBytes = 16 << 10;
  return options;
}
TestSchedule reduction(int ranks) {
  return makeSchedule(Collective::allreduce, 0, ranks, layout());
}

} // namespace

// ThreadSanitizer sees one process: docs/rationale.md, R102.
#if !defined(__SANITIZE_THREAD__)
TEST_CASE("processes reach into registered memory of every kind") {
  for (const char *kind :
       {"plain", "blink", "pool", "mapped", "pieces", "fabric"})
    for (int ranks : {2, 3})
      expectGood(allCollectives(ranks, 0, layout()), ranks,
                 std::string("registered:broadcast:kind=") + kind);
}

TEST_CASE("who has memory that processes cannot share says so") {
  for (const char *kind : {"ownpool", "closed"})
    expectGood(reduction(3), 3, std::string("registered:refused:kind=") + kind);
}

TEST_CASE("a buffer that one rank cannot use is used by none") {
  for (const char *call : {"cudaIpcGetMemHandle@0", "cudaIpcOpenMemHandle@0",
                           "cudaMemcpyAsync@0", "cuMemGetAddressRange_v2@0"})
    expectGood(reduction(3), 3, std::string("registered:fails=") + call);
  // The number selects a piece of the rank's own buffer or of the other rank's:
  // each has two.
  for (const char *call :
       {"cuMemRetainAllocationHandle@0", "cuMemRetainAllocationHandle@3",
        "cuMemGetAllocationPropertiesFromHandle@1",
        "cuMemExportToShareableHandle@2", "cuMemImportFromShareableHandle@0",
        "cuMemImportFromShareableHandle@1", "cuMemAddressReserve@0",
        "cuMemMap@1", "cuMemSetAccess@0"})
    expectGood(reduction(3), 3,
               std::string("registered:kind=pieces:fails=") + call);
  for (const char *call :
       {"cudaMemPoolExportToShareableHandle@0", "cudaMemPoolExportPointer@0",
        "cudaMemPoolImportFromShareableHandle@0", "cudaMemPoolSetAccess@0",
        "cudaMemPoolImportPointer@0"})
    expectGood(reduction(3), 3,
               std::string("registered:kind=pool:fails=") + call);
}

TEST_CASE("one rank registers GPU memory, and ends it, without the others") {
  for (const char *kind : {"plain", "blink", "pool"})
    expectGood(reduction(3), 3, std::string("registered:alone:kind=") + kind);
}

TEST_CASE("graphs are right whatever becomes of registered memory") {
  for (const char *kind : {"plain", "pieces"})
    for (int ranks : {2, 3})
      expectGood(reduction(ranks), ranks,
                 std::string("registered:graph:kind=") + kind);
}
#endif

namespace {

/// How many launches the last call made, and in how many others were told this
/// rank's output. Each rank is on a device of its own.
std::atomic<int> numTold{0}, numLanes{0};
void countHook(const runtime::Launch &launch, unsigned block, unsigned thread,
               unsigned barrier) {
  if (block != 0 || thread != 0 || barrier != 0)
    return;
  ++numLanes;
  numTold += launch.ranks[0].recvPtr != 0;
}

/// Runs an allreduce of 1, 2 and 4 in these buffers. Returns "" or what is
/// wrong.
std::string reduceIn(const Job &job, GpuMemory *const (&buffers)[3],
                     bool reached) {
  constexpr size_t kCount = 100000; // floats: more than 256 KiB
  for (int rank = 0; rank < 3; ++rank) {
    const std::vector<float> values(kCount, float(1 << rank));
    useDeviceOf(rank);
    cudaMemcpy(buffers[rank]->begin(), values.data(), kCount * sizeof(float),
               cudaMemcpyHostToDevice);
    cudaStreamSynchronize(nullptr);
  }
  numTold = numLanes = 0;
  {
    const LaneHookScope hook(countHook);
    const auto results = job.onThreads([&](int rank) {
      float *data = buffers[rank]->floats();
      return blinkAllReduce(data, data, kCount, blinkFloat32, blinkSum,
                            job[rank], job.stream(rank));
    });
    if (results != std::vector<blinkResult_t>(3, blinkSuccess))
      return blinkGetLastError(job[0]);
  }
  for (GpuMemory *buffer : buffers) {
    std::vector<float> values(kCount);
    cudaMemcpy(values.data(), buffer->begin(), kCount * sizeof(float),
               cudaMemcpyDeviceToHost);
    if (values != std::vector<float>(kCount, 7.0f))
      return "wrong";
  }
  if (numLanes != 3 || numTold != (reached ? 3 : 0))
    return std::to_string(numTold) + " of " + std::to_string(numLanes) +
           " buffers are told";
  return "";
}

/// Whether the device has access to the first and the last byte.
bool isOpen(const GpuMemory &memory, size_t bytes, int device) {
  CUmemLocation location{};
  location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  location.id = device;
  for (char *byte : {memory.begin(), memory.begin() + bytes - 1}) {
    unsigned long long flags = 0;
    if (cuMemGetAccess(&flags, &location,
                       reinterpret_cast<CUdeviceptr>(byte)) != CUDA_SUCCESS ||
        flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
      return false;
  }
  return true;
}

} // namespace

TEST_CASE("GPUs of one process reach into registered memory of every kind") {
  constexpr size_t kBytes = 100000 * sizeof(float);
  const size_t before = numVirtual();
  for (const char *kind : {"plain", "blink", "pool", "mapped", "pieces",
                           "fabric", "closed", "ownpool"}) {
    CAPTURE(kind);
    emulatedMachine = {};
    emulatedMachine.devices = 3;
    const bool plain = kind == std::string("plain");
    Job job(reduction(3), 3);
    std::unique_ptr<GpuMemory> memory[3];
    GpuMemory *buffers[3];
    void *handles[3] = {};
    for (int rank = 0; rank < 3; ++rank) {
      useDeviceOf(rank);
      memory[rank] = std::make_unique<GpuMemory>(kind, kBytes);
      buffers[rank] = memory[rank].get();
      REQUIRE(buffers[rank]->begin());
    }
    // A call asks other ranks for nothing: buffers not yet known are not
    // reached, except for plain memory.
    CHECK(reduceIn(job, buffers, plain) == "");
    for (int rank = 0; rank < 3; ++rank)
      REQUIRE(blinkCommRegister(job[rank], buffers[rank]->begin(), kBytes,
                                &handles[rank]) == blinkSuccess);
    CHECK(reduceIn(job, buffers, true) == "");
    if (kind == std::string("pieces")) {
      // Rank 0 is the root of all trees: the other ranks need not reach each
      // other.
      CHECK(isOpen(*buffers[0], kBytes, 1));
      CHECK(isOpen(*buffers[0], kBytes, 2));
      CHECK(isOpen(*buffers[1], kBytes, 0));
    }
    CHECK(blinkCommDeregister(job[1], handles[0]) == blinkInvalidArgument);
    for (int rank = 0; rank < 3; ++rank)
      CHECK(blinkCommDeregister(job[rank], handles[rank]) == blinkSuccess);
    CHECK(blinkCommDeregister(job[1], handles[1]) == blinkInvalidArgument);
    CHECK(reduceIn(job, buffers, plain) == "");
    emulatedMachine = {};
  }
  // Only the pools that CUDA keeps remain.
  CHECK(numVirtual() <= before + 3);
  CHECK(misuse() == "");
}

TEST_CASE("what other GPUs cannot use is not registered in one process") {
  emulatedMachine = {};
  emulatedMachine.devices = 2;
  Job job(makeSchedule(Collective::allreduce, 0, 2, {}), 2);
  float onHost[4] = {};
  void *handle = nullptr;
  CHECK(blinkCommRegister(job[1], onHost, sizeof(onHost), &handle) ==
        blinkInvalidArgument);
  CHECK(handle == nullptr);
  CHECK(std::string(blinkGetLastError(job[1])) ==
        "the buffer of rank 1: it is not memory of a GPU");
  useDeviceOf(0);
  GpuMemory memory("pieces", 1000);
  CHECK(blinkCommRegister(job[0], memory.begin(), size_t(64) << 20, &handle) ==
        blinkInvalidArgument);
  CHECK(std::string(blinkGetLastError(job[0])) ==
        "the buffer of rank 0: it is longer than what is mapped there");
  emulatedMachine = {};
}
