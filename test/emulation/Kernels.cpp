//===- Kernels.cpp - thread blocks on host threads ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Runs Lane.h, the code that devices run, with one host thread per kernel and a
// few fibers per lane.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Kernels.h"

#include "runtime/cuda/Lane.h"
#include "runtime/plan/Types.h"
#include "test/common/LateStage.h"
#include "test/emulation/Calls.h"
#include "test/emulation/CudaRuntime.h"
#include "test/emulation/Emulation.h"
#include "test/emulation/Fibers.h"
#include "test/emulation/Multicast.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

std::atomic<blink::test::LaneHook> blink::test::laneHook{nullptr};
std::atomic<blink::test::LaneHook> blink::test::waitHook{nullptr};

namespace blink::runtime {
namespace {

constexpr uint32_t kFoldThreads = test::kEmulatedFoldThreads;
constexpr uint32_t kPostThreads = 1;
constexpr uint32_t kThreads = kFoldThreads + kPostThreads;

/// The device's clock, which differs from the host's.
uint64_t deviceTime() {
  return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::steady_clock::now().time_since_epoch())
                      .count());
}

/// The stage of a launch that asks for none on a device that has stages.
constexpr uint32_t kNoStage = ~0u;

/// The barriers of a block's threads.
struct Barriers {
  test::FiberBarrier start{kThreads}, all{kThreads}, fold{kFoldThreads};
};

class HostBlock {
public:
  HostBlock(LaneState &state, test::Fibers &fibers, Barriers &barriers,
            const Launch &launch, uint32_t stagePacks, uint32_t block,
            uint32_t thread)
      : state_(state), fibers_(fibers), barriers_(barriers), launch_(launch),
        stagePacks_(stagePacks), block_(block), thread_(thread) {}

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
  static constexpr bool kStages = true;
  uint32_t stagePacks() const {
    if (stagePacks_ == kNoStage) {
      std::fprintf(stderr, "a fold needs a stage, and its launch has none: on "
                           "a GPU it would add element by element\n");
      std::abort();
    }
    return stagePacks_;
  }
  test::LateStage stage() const { return test::LateStage(stagePacks_); }
  uint64_t nanoseconds() const { return deviceTime(); }
  void relax() const {
    if (test::LaneHook hook = test::waitHook.load(std::memory_order_relaxed))
      hook(launch_, block_, thread_, numBarriers_);
    fibers_.yield();
  }

private:
  void wait(test::FiberBarrier &barrier) {
    if (test::LaneHook hook = test::laneHook.load(std::memory_order_relaxed))
      hook(launch_, block_, thread_, numBarriers_);
    ++numBarriers_;
    barrier.wait(fibers_);
  }

  LaneState &state_;
  test::Fibers &fibers_;
  Barriers &barriers_;
  const Launch &launch_;
  const uint32_t stagePacks_;
  const uint32_t block_, thread_;
  uint32_t numBarriers_ = 0; ///< so far
};

using LaneFunction = void (*)(HostBlock &, const Launch &, uint32_t);

LaneFunction laneFunction(blinkDataType_t type, blinkRedOp_t op,
                          bool inSwitch) {
  if (inSwitch)
    return withFoldType<Sum>(type, [](auto element) -> LaneFunction {
      using T = decltype(element);
      if constexpr (kSwitchAdds<T>)
        return runBlock<T, Sum, HostBlock, true>;
      return nullptr;
    });
  return withOperator(op, [type](auto combine) {
    using Operator = decltype(combine);
    return withFoldType<Operator>(type, [](auto element) -> LaneFunction {
      return runBlock<decltype(element), Operator, HostBlock>;
    });
  });
}

/// Returns the function for calls whose partial sums are floats.
LaneFunction wideLaneFunction(blinkDataType_t type, blinkRedOp_t op) {
  return withType(type, [op](auto element) -> LaneFunction {
    using T = decltype(element);
    if constexpr (!std::is_class_v<T>)
      return nullptr;
    else
      return op == blinkProd ? runBlock<T, Prod, HostBlock, false, true>
                             : runBlock<T, Sum, HostBlock, false, true>;
  });
}

/// Limits the blocks that run on a device, of all kernels, to what it has room
/// for. Other blocks wait until one ends.
class Residency {
public:
  bool enter() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (running_ >= test::emulatedMachine.residentLanes)
      return false;
    ++running_;
    return true;
  }
  void leave() {
    std::lock_guard<std::mutex> lock(mutex_);
    --running_;
  }
  static Residency &of(int device) {
    static std::mutex mutex;
    static std::map<int, Residency> devices;
    std::lock_guard<std::mutex> lock(mutex);
    return devices[device];
  }

private:
  std::mutex mutex_;
  unsigned running_ = 0;
};

/// Calls run(block, launch, b) in each thread of every block b. launchOf(b) is
/// the launch that hooks see.
template <typename LaunchOf, typename Run>
void runGrid(uint32_t numBlocks, uint32_t stagePacks, const LaunchOf &launchOf,
             const Run &run, Residency &residency) {
  // Not initialised, as on a device; filling it took as long as a kernel.
  const std::unique_ptr<LaneState[]> states(new LaneState[numBlocks]);
  std::deque<Barriers> barriers(numBlocks);
  std::vector<std::atomic<uint32_t>> left(numBlocks);
  test::Fibers fibers(numBlocks * kThreads);
  fibers.run([&](uint32_t fiber) {
    const uint32_t b = fiber / kThreads, t = fiber % kThreads;
    while (t == 0 && !residency.enter())
      fibers.yield();
    if (t == 0)
      left[b] = kThreads;
    barriers[b].start.wait(fibers);
    HostBlock block(states[b], fibers, barriers[b], launchOf(b), stagePacks, b,
                    t);
    run(block, b);
    // Relaxed: a mere counter, which need not order anything else.
    if (left[b].fetch_sub(1, std::memory_order_relaxed) == 1)
      residency.leave();
  });
}

} // namespace

cudaError_t launchLanes(blinkDataType_t type, blinkRedOp_t op, bool staged,
                        uint32_t numBlocks, const Launch &launch,
                        cudaStream_t stream) {
  const cudaError_t error = test::enter("cudaLaunchKernel", test::kContext);
  if (error != cudaSuccess)
    return error;
  Residency &residency = Residency::of(test::currentDevice());
  const LaneFunction function = launch.shape.partialBytes != 0
                                    ? wideLaneFunction(type, op)
                                    : laneFunction(type, op, launch.inSwitch);
  // GPUs of several kinds.
  constexpr uint32_t kStagePacks[] = {6, 18, 0, 12};
  const uint32_t stagePacks =
      staged ? kStagePacks[test::currentDevice() % 4] : kNoStage;
  return test::enqueue(stream, [=, &residency] {
    runGrid(
        numBlocks, stagePacks,
        [&](uint32_t) -> const Launch & { return launch; },
        [&](HostBlock &block, uint32_t b) { function(block, launch, b); },
        residency);
  });
}

cudaError_t launchMessages(uint32_t numBlocks, const MessageLaunch &launch,
                           cudaStream_t stream) {
  const cudaError_t error = test::enter("cudaLaunchKernel", test::kContext);
  if (error != cudaSuccess)
    return error;
  Residency &residency = Residency::of(test::currentDevice());
  return test::enqueue(stream, [numBlocks, launch, &residency] {
    // Hooks see each queue as a separate launch.
    std::vector<Launch> launches(launch.numMessages);
    for (uint32_t m = 0; m < launch.numMessages; ++m) {
      static_cast<LaunchedCall &>(launches[m]) = launch.messages[m].call;
      launches[m].numRanks = 1;
      launches[m].ranks[0] = launch.messages[m].rank;
    }
    const auto launchOf = [&](uint32_t b) -> const Launch & {
      return launches[launch.firstOf(b)];
    };
    runGrid(
        numBlocks, kNoStage, launchOf,
        [&](HostBlock &block, uint32_t b) {
          runMessageBlock(block, launch, b);
        },
        residency);
  });
}

std::vector<char *> multicastParts(const char *address) {
  return test::multicastParts(address);
}

cudaError_t kernelsMulticast(bool &can) {
  can = true;
  return test::enter("cudaFuncGetAttributes", test::kContext);
}

cudaError_t launchClock(uint64_t *time, cudaStream_t stream) {
  const cudaError_t error = test::enter("cudaLaunchKernel", test::kContext);
  return error == cudaSuccess
             ? test::enqueue(stream,
                             [time] { storeRelease(time, deviceTime()); })
             : error;
}

cudaError_t prepareLanes(uint32_t &numBlocks) {
  numBlocks = test::emulatedMachine.residentLanes;
  return test::enter("cudaFuncGetAttributes", test::kContext);
}

} // namespace blink::runtime
