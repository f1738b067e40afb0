//===- Fibers.h - threads of a block that take turns ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The threads of a thread block meet at barriers several times per chunk. As
// host threads, they spent nearly all of a test's time on waking up; here they
// take turns on one thread. ThreadSanitizer is told that the fibers are threads
// and that turns order nothing, and does not see the code that hands out turns
// (Fibers.cpp is compiled without it). It therefore still finds the races that
// a missing barrier would allow, and finds them every time.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_EMULATION_FIBERS_H
#define BLINK_TEST_EMULATION_FIBERS_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <ucontext.h>
#include <vector>

namespace blink::test {

/// Bodies that take turns on the calling thread. All members except run() are
/// for these bodies.
class Fibers {
public:
  explicit Fibers(uint32_t number);
  ~Fibers();
  Fibers(const Fibers &) = delete;

  /// Runs body(0), body(1), ... until all have returned.
  void run(const std::function<void(uint32_t)> &body);

  /// Gives the turn to another fiber that can go on. Now and then it also
  /// yields the processor to another thread, and sleeps if all fibers have been
  /// waiting for long.
  void yield();
  /// Gives the turn to other fibers until `word` is no longer `value`; the
  /// caller then reads the new value with a load of its own. Aborts the program
  /// if no fiber can go on: on a device, they would hang.
  void waitWhile(const std::atomic<uint32_t> &word, uint32_t value);

private:
  /// The resources of a fiber, which later fibers reuse: making them takes
  /// longer than most kernels.
  struct Place {
    std::unique_ptr<char[]> stack;
    void *sanitizer = nullptr; ///< ThreadSanitizer's fiber
  };
  struct Places;
  static Places &spare();

  struct Fiber {
    ucontext_t context; ///< where the fiber begins
    void *left[5];      ///< where it gave up its turn, for __builtin_longjmp
    bool begun = false;
    Place place;
    bool done = false;
    const std::atomic<uint32_t> *word = nullptr; ///< what it waits for
    uint32_t value = 0;
    void *fakeStack = nullptr; ///< AddressSanitizer's
  };

  static void enter(uint32_t low, uint32_t high);
  void prepare(Fiber &fiber);
  bool canRun(const Fiber &fiber) const;
  uint32_t choose();
  void switchTo(uint32_t next);
  [[noreturn]] static void goOn(Fiber &fiber);

  static constexpr size_t kStackBytes = 256 << 10;
  /// More than enter() needs at the stack's end for the last switch.
  static constexpr size_t kFirstFrames = 8 << 10;
  /// The number of rounds without progress before the host's thread sleeps. An
  /// answer of another thread takes a few rounds only, and tests of events that
  /// never come would otherwise keep a processor busy. If yielding takes
  /// kLongYield, unrelated threads are computing, and each further yield would
  /// take as long, so sleeping starts earlier.
  static constexpr uint32_t kPatience = 200;
  static constexpr std::chrono::microseconds kLongYield{500};

  std::vector<Fiber> fibers_; ///< the last one is the caller of run()
  const std::function<void(uint32_t)> *body_ = nullptr;
  uint32_t current_;
  uint32_t random_;
  uint32_t yields_ = 0; ///< since a fiber last went on from waitWhile
  // The addresses by which ThreadSanitizer knows the start and the end of
  // run().
  [[maybe_unused]] char begun_, ended_;
  // The stack of run()'s caller, for AddressSanitizer.
  [[maybe_unused]] const void *callerStack_ = nullptr;
  [[maybe_unused]] size_t callerStackBytes_ = 0;
};

/// A barrier of `size` fibers.
class FiberBarrier {
public:
  explicit FiberBarrier(uint32_t size) : size_(size) {}

  void wait(Fibers &fibers) {
    const uint32_t turn = turn_.load(std::memory_order_relaxed);
    // Acquire and release as in a barrier of threads: the last to arrive sees
    // everything that all fibers did before and passes it on.
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
      arrived_.store(0, std::memory_order_relaxed);
      turn_.store(turn + 1, std::memory_order_release);
      return;
    }
    while (turn_.load(std::memory_order_acquire) == turn)
      fibers.waitWhile(turn_, turn);
  }

private:
  const uint32_t size_;
  std::atomic<uint32_t> arrived_{0}, turn_{0};
};

} // namespace blink::test

#endif // BLINK_TEST_EMULATION_FIBERS_H
