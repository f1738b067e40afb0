//===- SharedProcessor.h - two ranks on one processor -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Threads that the kernel has once put on one processor may stay there though
// there are processors for all: each always ran a moment ago, which counts
// against moving it, and where other programs compute all processors are
// equally busy. Ranks then hand the processor to and fro.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_SHAREDPROCESSOR_H
#define BLINK_RUNTIME_HOST_SHAREDPROCESSOR_H

#include <atomic>
#include <chrono>
#include <cstdint>

namespace blink::runtime {

class Segment;

/// What one rank knows of it. Its words are relaxed: they guard nothing.
/// Messages of other threads look, too, and one sleep more or less, or a spin
/// in vain, is no harm.
class SharedProcessor {
public:
  /// For a rank of `numRanks` that has waited for another thread longer than it
  /// should. Returns whether the calling thread was on the processor where
  /// another rank last waited. If that is a lower one, it goes elsewhere: it
  /// sleeps for a moment, which lets the kernel choose an idle processor, and
  /// where there was none it moves by itself; at most every 16 calls and 5 ms.
  bool leave(Segment &segment, int rank, int numRanks);

  /// What leave() last returned: the other rank cannot do what is waited for
  /// while this one spins.
  bool found() const { return found_.load(std::memory_order_relaxed); }

private:
  std::atomic<bool> found_{false};
  std::atomic<uint64_t> lastCall_{0}; ///< that went elsewhere
  std::atomic<std::chrono::steady_clock::time_point> lastTime_{{}};
};

/// Moves the calling thread off `processor` to another one that it may use,
/// whatever runs there; false if there is none. What it may use stays.
bool leaveProcessor(int processor);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_SHAREDPROCESSOR_H
