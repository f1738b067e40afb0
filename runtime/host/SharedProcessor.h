//===- SharedProcessor.h - two ranks on one processor -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Threads that the kernel has once put on one processor may stay there although
// there are processors for all: each of them ran a moment ago, which counts
// against moving it, and if other programs compute, all processors are equally
// busy. The ranks then hand the processor back and forth.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_SHAREDPROCESSOR_H
#define BLINK_RUNTIME_HOST_SHAREDPROCESSOR_H

#include <atomic>
#include <chrono>
#include <cstdint>

namespace blink::runtime {

class Segment;

/// A rank's knowledge of such sharing. The words are relaxed, because they
/// guard nothing. Threads with messages of the rank use them, too: one sleep
/// more or less, or one spin in vain, does no harm.
class SharedProcessor {
public:
  /// To be called for one of `numRanks` ranks that has waited for another
  /// thread longer than it should. Returns true if the calling thread was on
  /// the processor where another rank last waited. If that rank is a lower one,
  /// the thread goes elsewhere: it sleeps for a moment, so that the kernel can
  /// choose an idle processor, and moves by itself if the kernel has not moved
  /// it. It goes elsewhere at most every 16 calls and every 5 ms.
  bool leave(Segment &segment, int rank, int numRanks);

  /// The last result of leave(). If true, the other rank cannot do what this
  /// one waits for while this one spins.
  bool found() const { return found_.load(std::memory_order_relaxed); }

private:
  std::atomic<bool> found_{false};
  std::atomic<uint64_t> lastCall_{0}; ///< the last call that went elsewhere
  std::atomic<std::chrono::steady_clock::time_point> lastTime_{{}};
};

/// Moves the calling thread from `processor` to another one that it may use,
/// whatever runs there. Returns false if there is none. The thread's affinity
/// is the same afterwards.
bool leaveProcessor(int processor);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_SHAREDPROCESSOR_H
