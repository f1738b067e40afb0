//===- MemoryInfoTest.cpp - the memory of communicators on GPUs -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// blinkCommMemory tells slots on GPUs from slots in the host's memory.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Job.h"

#include "doctest/doctest.h"

#include <cuda_runtime_api.h>

using namespace blink;
using namespace blink::test;

namespace {

blinkMemoryInfo_t memoryOf(blinkComm_t comm) {
  blinkMemoryInfo_t info = BLINK_MEMORY_INFO_INITIALIZER;
  REQUIRE(blinkCommMemory(comm, &info) == blinkSuccess);
  return info;
}

} // namespace

TEST_CASE("slots are counted where they are") {
  constexpr int kRanks = 3;
  constexpr uint64_t kSlots = 4, kChunk = 64 << 10;
  BuildOptions layout;
  layout.slots = kSlots;
  layout.chunkBytes = kChunk;
  layout.shape = Shape::star; // all other ranks send to rank 0
  const TestSchedule schedule =
      makeSchedule(Collective::reduce, 0, kRanks, layout);
  const Job peers(schedule, kRanks);
  const Job staged(withKind(schedule, sched::ChannelKind::staged), kRanks);
  for (int rank = 0; rank < kRanks; ++rank) {
    const uint64_t expected = rank == 0 ? (kRanks - 1) * kSlots * kChunk : 0;
    const blinkMemoryInfo_t onGpu = memoryOf(peers[rank]);
    CHECK(onGpu.slots >= expected);
    CHECK(onGpu.slots <= expected + 4096);
    CHECK(onGpu.staging == 0);
    CHECK(onGpu.control != 0);
    CHECK(onGpu.programs != 0);
    CHECK(onGpu.registered == 0);
    const blinkMemoryInfo_t onHost = memoryOf(staged[rank]);
    CHECK(onHost.slots == 0);
    CHECK(onHost.staging >= expected);
    CHECK(onHost.staging <= expected + 4096);
    // The rest of the job's memory does not consist of slots.
    CHECK(onHost.job < kSlots * kChunk);
    CHECK(onHost.job == onGpu.job);
  }
  void *buffer = nullptr, *handle = nullptr;
  useDeviceOf(1);
  REQUIRE(cudaMalloc(&buffer, 1000) == cudaSuccess);
  REQUIRE(blinkCommRegister(peers[1], buffer, 1000, &handle) == blinkSuccess);
  CHECK(memoryOf(peers[1]).registered == 1000);
  CHECK(memoryOf(peers[0]).registered == 0);
  CHECK(blinkCommDeregister(peers[1], handle) == blinkSuccess);
  CHECK(memoryOf(peers[1]).registered == 0);
  CHECK(cudaFree(buffer) == cudaSuccess);
}
