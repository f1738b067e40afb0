//===- DirectTest.cpp - chunks written straight into outputs --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Writers put large chunks into readers' outputs directly if their device can
// reach them, and only then. Emulated devices cannot fault, so the tests look
// at the arguments that lanes are launched with.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Launch.h"
#include "test/conformance/Job.h"
#include "test/emulation/Emulation.h"
#include "test/emulation/Programs.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <cuda_runtime_api.h>
#include <mutex>
#include <vector>

using namespace blink;
using namespace blink::test;
using runtime::DeviceChannel;
using runtime::Launch;

namespace {

constexpr size_t kCount = 100000; // floats: more than 256 KiB

/// The arguments of rank 1's last launch.
struct Launched {
  bool mayBeDirect; ///< for the only channel
  bool hasPtr;      ///< other ranks can reach its output
};
std::mutex mutex;
Launched launched;
const void *output; ///< of rank 1
void noteHook(const Launch &launch, unsigned, unsigned, unsigned) {
  const Launch::Rank &last = launch.ranks[launch.numRanks - 1];
  if (last.recv != output) // the launch of rank 0 alone
    return;
  const DeviceChannel &channel = *channelOf(*last.program, 0);
  std::lock_guard<std::mutex> lock(mutex);
  launched = {channel.directBlock != DeviceChannel::kNotDirect,
              last.recvPtr != 0};
}

/// Broadcasts from rank 0 to rank 1, whose output is at `recv`. On two devices,
/// each rank has a launch of its own.
Launched broadcast(int devices, sched::ChannelKind kind, float *recv) {
  emulatedMachine = {};
  emulatedMachine.devices = devices;
  Job job(withKind(makeSchedule(Collective::broadcast, 0, 2, {}), kind), 2);
  std::vector<float> values(kCount, 5.0f);
  std::fill_n(recv, kCount, 0.0f);
  output = recv;
  {
    const LaneHookScope hook(noteHook);
    blinkGroupStart();
    for (int rank : {0, 1})
      blinkBroadcast(values.data(), rank ? recv : values.data(), kCount,
                     blinkFloat32, 0, job[rank], job.stream(rank));
    REQUIRE(blinkGroupEnd() == blinkSuccess);
    for (int rank : {0, 1})
      REQUIRE(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(
                  job.stream(rank))) == cudaSuccess);
  }
  CHECK(std::equal(values.begin(), values.end(), recv));
  emulatedMachine = {};
  std::lock_guard<std::mutex> lock(mutex);
  return launched;
}

} // namespace

TEST_CASE("outputs are written from afar over peer channels alone") {
  void *memory = nullptr;
  REQUIRE(cudaMalloc(&memory, kCount * sizeof(float)) == cudaSuccess);
  float *recv = static_cast<float *>(memory);
  for (int devices : {1, 2}) {
    CHECK(broadcast(devices, sched::ChannelKind::peer, recv).mayBeDirect);
    CHECK_FALSE(
        broadcast(devices, sched::ChannelKind::staged, recv).mayBeDirect);
    CHECK(broadcast(devices, sched::ChannelKind::peer, recv).hasPtr);
  }
  cudaFree(memory);
}

TEST_CASE("memory that is not open to peers is not written from afar") {
  // This buffer stands for memory from a pool: it does not come from
  // cudaMalloc.
  std::vector<float> recv(kCount);
  CHECK(broadcast(1, sched::ChannelKind::peer, recv.data()).hasPtr);
  CHECK_FALSE(broadcast(2, sched::ChannelKind::peer, recv.data()).hasPtr);
}
