//===- Emulation.h - devices of host threads --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_EMULATION_EMULATION_H
#define BLINK_TEST_EMULATION_EMULATION_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

namespace blink::runtime {
struct Launch;
}

namespace blink::test {

/// What the emulated machine is; set before communicators are made.
struct EmulatedMachine {
  int devices = 8;
  /// Devices below this one reach each other's memory, and those from it on do;
  /// across it they do not.
  int peerBorder = 1000;
  unsigned residentLanes = 1000; ///< of a device
  int mostPeers = 1000;          ///< that a device can reach
  /// How far from the host's address devices see registered host memory.
  int hostOffset = 0;
  /// How long the end of a copy to a device is on its way after cudaMemcpy.
  std::chrono::milliseconds copyDelay{0};
  /// PCI buses of the devices, in CUDA's order; device d is on bus d + 1 where
  /// none is given.
  std::vector<int> buses;
  /// Whether a switch joins the devices that reduces and multicasts.
  bool multicast = true;
};
/// In the beginning it has as many devices as BLINK_EMULATED_DEVICES says,
/// which is read when the emulation is loaded.
extern EmulatedMachine emulatedMachine;

/// What devices say that they have.
inline constexpr int kEmulatedProcessors = 8;
inline constexpr unsigned kEmulatedSharedBytes = 48 << 10; ///< of a block

/// From now on nothing works on the device, as after a kernel that has read
/// where there is no memory.
void breakDevice(int device);
/// Takes that back.
void mendDevice(int device);

/// How many calls of the function of this name there were.
uint64_t numCalls(const char *call);

/// Whether the device has a context in this process, since
/// forgetContexts().
bool hasContext(int device);
void forgetContexts();

/// Threads of a lane that fold: not a divisor of anything, so that turns end
/// unevenly. One more, the last, posts.
inline constexpr unsigned kEmulatedFoldThreads = 3;
inline constexpr unsigned kEmulatedPoster = kEmulatedFoldThreads;

/// Called by each thread of a lane before each of its barriers, which it counts
/// from 0 in each launch; for tests that kill, delay or corrupt. The poster has
/// no barrier before folds.
/// `block`: of the launch.
using LaneHook = void (*)(const runtime::Launch &launch, unsigned block,
                          unsigned thread, unsigned barrier);
extern std::atomic<LaneHook> laneHook;

/// Called likewise by a thread that has looked in vain for what another rank
/// posts, each time; `barrier`: the one it has not come to yet.
extern std::atomic<LaneHook> waitHook;

/// What a hook does to be late: the other threads of its launch go on
/// meanwhile, which they would not if it slept.
void pauseThread(std::chrono::microseconds duration);

/// Sets the hooks while it lives.
class LaneHookScope {
public:
  explicit LaneHookScope(LaneHook hook, LaneHook wait = nullptr) {
    laneHook = hook;
    waitHook = wait;
  }
  ~LaneHookScope() { laneHook = waitHook = nullptr; }
  LaneHookScope(const LaneHookScope &) = delete;
};

} // namespace blink::test

#endif // BLINK_TEST_EMULATION_EMULATION_H
