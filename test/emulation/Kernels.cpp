//===- Kernels.cpp - thread blocks of host threads ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Lane.h, as devices run it, by a few host threads a lane.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Kernels.h"

#include "runtime/Types.h"
#include "runtime/cuda/Lane.h"
#include "test/emulation/CudaRuntime.h"
#include "test/emulation/Emulation.h"

#include <chrono>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <vector>

namespace blink::runtime {
namespace {

/// Not a divisor of anything, so that turns end unevenly.
constexpr uint32_t kThreads = 3;

class HostBlock {
public:
  HostBlock(LaneState &state, pthread_barrier_t &barrier, const Launch &launch,
            uint32_t block, uint32_t thread)
      : state_(state), barrier_(barrier), launch_(launch), block_(block),
        thread_(thread) {}

  uint32_t thread() const { return thread_; }
  uint32_t size() const { return kThreads; }
  void sync() {
    if (test::LaneHook hook = test::laneHook.load(std::memory_order_relaxed))
      hook(launch_, block_, thread_, numBarriers_);
    ++numBarriers_;
    pthread_barrier_wait(&barrier_);
  }
  LaneState &state() const { return state_; }
  uint64_t nanoseconds() const {
    return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                        std::chrono::steady_clock::now().time_since_epoch())
                        .count());
  }
  void relax() const { sched_yield(); }

private:
  LaneState &state_;
  pthread_barrier_t &barrier_;
  const Launch &launch_;
  const uint32_t block_, thread_;
  uint32_t numBarriers_ = 0; ///< so far
};

using LaneFunction = void (*)(HostBlock &, const Launch &, uint32_t);

LaneFunction laneFunction(blinkDataType_t type, blinkRedOp_t op) {
  return withType(type, [op](auto element) {
    return withOperator(op, [](auto combine) -> LaneFunction {
      return runBlock<decltype(element), decltype(combine), HostBlock>;
    });
  });
}

void runGrid(LaneFunction function, uint32_t numBlocks, const Launch &launch) {
  std::vector<LaneState> states(numBlocks);
  std::vector<pthread_barrier_t> barriers(numBlocks);
  std::vector<std::thread> threads;
  for (uint32_t b = 0; b < numBlocks; ++b) {
    pthread_barrier_init(&barriers[b], nullptr, kThreads);
    for (uint32_t t = 0; t < kThreads; ++t)
      threads.emplace_back([&, b, t] {
        HostBlock block(states[b], barriers[b], launch, b, t);
        function(block, launch, b);
      });
  }
  for (std::thread &thread : threads)
    thread.join();
  for (pthread_barrier_t &barrier : barriers)
    pthread_barrier_destroy(&barrier);
}

} // namespace

cudaError_t launchLanes(blinkDataType_t type, blinkRedOp_t op,
                        uint32_t numBlocks, const Launch &launch,
                        cudaStream_t stream) {
  test::enqueue(stream, [function = laneFunction(type, op), numBlocks, launch] {
    runGrid(function, numBlocks, launch);
  });
  return cudaSuccess;
}

cudaError_t prepareLanes(uint32_t &numBlocks) {
  numBlocks = test::emulatedMachine.residentLanes;
  return cudaSuccess;
}

} // namespace blink::runtime
