//===- Lanes.cpp - rates that lanes reach on a GPU ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/gpu-check.d/Lanes.h"

#include <set>
#include <stdexcept>

namespace blink::gpubench {

std::vector<LaneTime> timeLaneCopies(Device &device, size_t bytes) {
  constexpr int kTimes = 5;
  constexpr uint32_t kFoldThreads = 480; // of a lane; its other threads post
  int processors = 0;
  require(countProcessors(processors),
          "cannot ask for the number of multiprocessors");
  const Memory from = allocate(bytes), to = allocate(bytes);
  std::vector<LaneTime> times;
  for (uint32_t blocks :
       std::set<uint32_t>{1, 8, 40, 132, uint32_t(processors)})
    for (uint32_t threads : {kFoldThreads, kBlockThreads})
      for (uint32_t unroll : {4, 8})
        for (uint32_t storeBytes : {4, 16}) {
          const LaneShape shape{blocks, threads, unroll, storeBytes};
          const double us = device.onDevice(kTimes, [&](cudaStream_t stream) {
            require(launchLaneCopy(to.get(), from.get(), bytes, shape, stream),
                    "cannot start the lanes' copy");
          });
          times.push_back({shape, us});
        }
  return times;
}

TurnTimes timeTurns(Device &device) {
  constexpr int kTimes = 5;
  constexpr uint32_t kTurns = 2000;
  const Memory memory = allocate(sizeof(TurnMemory), 0);
  auto *turns = static_cast<TurnMemory *>(memory.get());
  const auto each = [&](Turn turn) {
    const double us = device.onDevice(kTimes, [&](cudaStream_t stream) {
      require(launchTurns(turn, turns, kTurns, stream),
              "cannot start a kernel that takes turns");
    });
    return us * 1e3 / kTurns;
  };
  TurnTimes times;
  times.acquire = each(Turn::acquire);
  times.fence = each(Turn::fence);
  times.stores = each(Turn::stores);
  times.storesAndFence = each(Turn::storesAndFence);
  times.pingPong = each(Turn::pingPong);
  uint32_t failed = 0;
  require(cudaMemcpy(&failed, &turns->failed, sizeof failed,
                     cudaMemcpyDeviceToHost),
          "cannot read the GPU's memory");
  if (failed != 0)
    throw std::runtime_error("a block waited in vain for the other one");
  return times;
}

} // namespace blink::gpubench
