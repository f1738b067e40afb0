//===- Kernels.cpp - thread blocks of host threads ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Lane.h, as devices run it, by a few host threads a lane.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Kernels.h"

#include "runtime/cuda/Lane.h"
#include "runtime/plan/Types.h"
#include "test/emulation/Calls.h"
#include "test/emulation/CudaRuntime.h"
#include "test/emulation/Emulation.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <vector>

std::atomic<blink::test::LaneHook> blink::test::laneHook{nullptr};

namespace blink::runtime {
namespace {

constexpr uint32_t kFoldThreads = test::kEmulatedFoldThreads;
constexpr uint32_t kPostThreads = 1;
constexpr uint32_t kThreads = kFoldThreads + kPostThreads;

/// What the threads of a block meet at.
struct Barriers {
  pthread_barrier_t all, fold;
  Barriers() {
    pthread_barrier_init(&all, nullptr, kThreads);
    pthread_barrier_init(&fold, nullptr, kFoldThreads);
  }
  ~Barriers() {
    pthread_barrier_destroy(&all);
    pthread_barrier_destroy(&fold);
  }
  Barriers(const Barriers &) = delete;
};

class HostBlock {
public:
  HostBlock(LaneState &state, Barriers &barriers, const Launch &launch,
            uint32_t block, uint32_t thread)
      : state_(state), barriers_(barriers), launch_(launch), block_(block),
        thread_(thread) {}

  uint32_t thread() const { return thread_; }
  uint32_t size() const { return kFoldThreads; }
  bool isPoster() const { return thread_ >= kFoldThreads; }
  uint32_t poster() const { return thread_ - kFoldThreads; }
  uint32_t posters() const { return kPostThreads; }
  uint32_t member() const { return thread_; }
  uint32_t members() const { return kThreads; }
  void sync() { wait(barriers_.all); }
  void syncFold() { wait(barriers_.fold); }
  LaneState &state() const { return state_; }
  uint64_t nanoseconds() const {
    return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                        std::chrono::steady_clock::now().time_since_epoch())
                        .count());
  }
  void relax() const { sched_yield(); }

private:
  void wait(pthread_barrier_t &barrier) {
    if (test::LaneHook hook = test::laneHook.load(std::memory_order_relaxed))
      hook(launch_, block_, thread_, numBarriers_);
    ++numBarriers_;
    pthread_barrier_wait(&barrier);
  }

  LaneState &state_;
  Barriers &barriers_;
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

/// The blocks that run on a device, of all kernels, are no more than it has
/// room for; others wait until one ends.
class Residency {
public:
  void enter() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(
        lock, [&] { return running_ < test::emulatedMachine.residentLanes; });
    ++running_;
  }
  void leave() {
    std::lock_guard<std::mutex> lock(mutex_);
    --running_;
    changed_.notify_all();
  }
  static Residency &of(int device) {
    static std::mutex mutex;
    static std::map<int, Residency> devices;
    std::lock_guard<std::mutex> lock(mutex);
    return devices[device];
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned running_ = 0;
};

void runGrid(LaneFunction function, uint32_t numBlocks, const Launch &launch,
             Residency &residency) {
  std::vector<LaneState> states(numBlocks);
  std::deque<Barriers> barriers(numBlocks);
  std::vector<std::atomic<uint32_t>> left(numBlocks);
  std::vector<std::thread> threads;
  for (uint32_t b = 0; b < numBlocks; ++b) {
    residency.enter();
    left[b] = kThreads;
    for (uint32_t t = 0; t < kThreads; ++t)
      threads.emplace_back([&, b, t] {
        HostBlock block(states[b], barriers[b], launch, b, t);
        function(block, launch, b);
        // Orders nothing but itself: it counts.
        if (left[b].fetch_sub(1, std::memory_order_relaxed) == 1)
          residency.leave();
      });
  }
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace

cudaError_t launchLanes(blinkDataType_t type, blinkRedOp_t op,
                        uint32_t numBlocks, const Launch &launch,
                        cudaStream_t stream) {
  const cudaError_t error = test::enter("cudaLaunchKernel", test::kContext);
  if (error != cudaSuccess)
    return error;
  Residency &residency = Residency::of(test::currentDevice());
  return test::enqueue(stream, [function = laneFunction(type, op), numBlocks,
                                launch, &residency] {
    runGrid(function, numBlocks, launch, residency);
  });
}

cudaError_t prepareLanes(uint32_t &numBlocks) {
  numBlocks = test::emulatedMachine.residentLanes;
  return test::enter("cudaFuncGetAttributes", test::kContext);
}

} // namespace blink::runtime
