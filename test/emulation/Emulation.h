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

/// The emulated machine. Set its members before communicators are made.
struct EmulatedMachine {
  int devices = 8;
  /// Devices on the same side of this border, below it or from it on, reach
  /// each other's memory; devices on different sides do not.
  int peerBorder = 1000;
  unsigned residentLanes = 1000; ///< per device
  int mostPeers = 1000;          ///< maximum that a device can reach
  /// The distance from the host's address at which devices see registered host
  /// memory.
  int hostOffset = 0;
  /// How long the end of a copy to a device remains on its way after
  /// cudaMemcpy.
  std::chrono::milliseconds copyDelay{0};
  /// PCI buses of the devices, in CUDA's order. A device d without an entry is
  /// on bus d + 1.
  std::vector<int> buses;
  /// Whether a switch joins the devices that can reduce and multicast.
  bool multicast = true;
};
/// Initially has as many devices as BLINK_EMULATED_DEVICES says, which is read
/// when the emulation is loaded.
extern EmulatedMachine emulatedMachine;

/// Properties that the devices report.
inline constexpr int kEmulatedProcessors = 8;
inline constexpr unsigned kEmulatedSharedBytes = 48 << 10; ///< per block

/// From now on nothing works on the device, as after a kernel that has read an
/// invalid address.
void breakDevice(int device);
/// Undoes breakDevice.
void mendDevice(int device);

/// Returns the number of calls of the function with this name.
uint64_t numCalls(const char *call);

/// Whether the device has got a context in this process since forgetContexts().
bool hasContext(int device);
void forgetContexts();

/// The number of threads of a lane that fold. 3 divides no power of two, so
/// that rounds end unevenly. One more thread, the last, posts.
inline constexpr unsigned kEmulatedFoldThreads = 3;
inline constexpr unsigned kEmulatedPoster = kEmulatedFoldThreads;

/// Called by each thread of a lane before each of its barriers, which are
/// counted from 0 in each launch; for tests that kill, delay or corrupt. The
/// poster has no barrier before folds. `block` is the block's number in the
/// launch.
using LaneHook = void (*)(const runtime::Launch &launch, unsigned block,
                          unsigned thread, unsigned barrier);
extern std::atomic<LaneHook> laneHook;

/// Called by a thread each time it has looked in vain for a post of another
/// rank. `barrier` is the number of the next barrier it will reach.
extern std::atomic<LaneHook> waitHook;

/// Delays a hook's thread. The other threads of its launch go on meanwhile,
/// which they could not if it slept.
void pauseThread(std::chrono::microseconds duration);

/// Sets the hooks during the object's lifetime.
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
