//===- Fibers.h - threads of a block that take turns ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The threads of a thread block meet at a barrier several times a chunk. As
// threads of the host nearly all the time of a test went into waking them; here
// they take turns on one. ThreadSanitizer is told that they are threads whose
// turns order nothing, and does not see who hands them out (Fibers.cpp is
// compiled without it): it still finds what a missing barrier would allow, and
// it finds it every time.
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

/// Bodies that run on the calling thread. All but run() is for these.
class Fibers {
public:
  explicit Fibers(uint32_t number);
  ~Fibers();
  Fibers(const Fibers &) = delete;

  /// Runs body(0), body(1), ... to their ends.
  void run(const std::function<void(uint32_t)> &body);

  /// Gives the turn to another that can go on; now and then also the processor
  /// to another thread, and where all have long been waiting, for longer.
  void yield();
  /// Gives the turn to others until `word` is no longer `value`, which the
  /// caller then sees by a load of its own. Ends the program if none of the
  /// fibers can go on: on a device, they would hang.
  void waitWhile(const std::atomic<uint32_t> &word, uint32_t value);

private:
  /// What a fiber needs, used again by later ones: to make these costs more
  /// than most kernels.
  struct Place {
    std::unique_ptr<char[]> stack;
    void *sanitizer = nullptr; ///< what ThreadSanitizer knows it by
  };
  struct Places;
  static Places &spare();

  struct Fiber {
    ucontext_t context; ///< where it begins
    void *left[5];      ///< where it gave its turn away, for __builtin_longjmp
    bool begun = false;
    Place place;
    bool done = false;
    const std::atomic<uint32_t> *word = nullptr; ///< it waits for, if any
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
  /// More than enter() needs for the last switch, at the stack's end.
  static constexpr size_t kFirstFrames = 8 << 10;
  /// Rounds of turns in which nobody goes on before the host's thread sleeps:
  /// an answer of another one is there in a few. Tests of what never comes
  /// would fill a processor. Where a yield takes long, others compute who have
  /// nothing to do with the device, and each further one would take as long.
  static constexpr uint32_t kPatience = 200;
  static constexpr std::chrono::microseconds kLongYield{500};

  std::vector<Fiber> fibers_; ///< and last, who called run()
  const std::function<void(uint32_t)> *body_ = nullptr;
  uint32_t current_;
  uint32_t random_;
  uint32_t yields_ = 0; ///< since one last went on from waitWhile
  // What ThreadSanitizer knows the start of run() by, and its end.
  char begun_, ended_;
  // Of who called run(), for AddressSanitizer.
  const void *callerStack_ = nullptr;
  size_t callerStackBytes_ = 0;
};

/// Where `size` fibers wait for each other.
class FiberBarrier {
public:
  explicit FiberBarrier(uint32_t size) : size_(size) {}

  void wait(Fibers &fibers) {
    const uint32_t turn = turn_.load(std::memory_order_relaxed);
    // The last to arrive sees, by acquire, what all did before, and hands it on
    // by release: as a barrier of threads does.
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
