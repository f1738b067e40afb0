//===- Backoff.h - how a host thread waits ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_BACKOFF_H
#define BLINK_RUNTIME_JOB_BACKOFF_H

#include <algorithm>
#include <chrono>
#include <sched.h>
#include <time.h>

namespace blink::runtime {

/// For a loop that polls: turn by turn it spins, then lets other threads run,
/// then sleeps, longer and longer up to half a millisecond. What it waits for
/// may come from another process, so nobody wakes it.
///
/// Who yields to threads that compute gets the processor back when they have
/// used up their slices, and who sleeps when it wakes up. So after a yield that
/// took long it sleeps; thousands of them would be many seconds without a look
/// at the clock.
class Backoff {
public:
  /// `crowded`: there are more threads at work than processors, and spinning
  /// takes time from the one that is waited for. `amongRanks`: those who get
  /// the processor are likely the ones that are waited for; some long yields
  /// are better then than sleep.
  explicit Backoff(bool crowded, bool amongRanks = false)
      : looks_(crowded      ? 0
               : amongRanks ? kSpins
                            : kNetworkSpins),
        spins_(looks_), amongRanks_(amongRanks) {}

  void reset() {
    turns_ = 0;
    spins_ = looks_;
  }
  /// Whether it has spun, and is about to let other threads run: the moment to
  /// find out who has this processor, and to say so.
  bool spun() const { return turns_ == looks_; }
  /// What is waited for needs this very processor: no more spins.
  void share() { looks_ = spins_ = 0; }
  /// It does not: so it spins on this time. A thread of some other program that
  /// computes here would keep the processor for milliseconds. Not where turns
  /// look at a network: they take a microsecond each, and who moves what is
  /// waited for may want this processor, unseen from here.
  void spinOn() {
    if (amongRanks_)
      spins_ = kLongSpins;
  }
  int turns() const { return turns_; }

  /// Waits a little.
  void wait() { wait(sleep); }
  /// The same; `sleep` sleeps so long, or until what is waited for may be
  /// there.
  template <typename Sleep> void wait(const Sleep &sleep) {
    ++turns_;
    if (turns_ <= spins_)
      return pause();
    if (turns_ <= spins_ + yields_)
      return yield();
    const long doublings = std::min<long>(turns_ - spins_ - yields_, 5);
    sleep(std::chrono::nanoseconds(16000L << doublings));
  }
  /// For less than a second.
  static void sleep(std::chrono::nanoseconds time) {
    const timespec spec{0, long(time.count())};
    nanosleep(&spec, nullptr);
  }

  /// Long enough to have time for looking at clocks and processes.
  bool sleeping() const { return turns_ > spins_ + yields_; }

private:
  void yield() {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point began = Clock::now();
    sched_yield();
    if (Clock::now() - began <= kLongYield)
      return;
    if (amongRanks_) {
      turns_ += kYields / kLongYields;
    } else {
      yields_ = 0;
      turns_ = spins_ + 1; // not those of spun() again
    }
  }

  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  // A microsecond or two: what is waited for may need this very processor.
  static constexpr int kSpins = 40;
  // Likewise, of turns that look at a network.
  static constexpr int kNetworkSpins = 8;
  // Some tens of microseconds.
  static constexpr int kLongSpins = 1000;
  // About a millisecond; while no other thread wants to run, it is spinning.
  static constexpr int kYields = 3000;
  static constexpr std::chrono::microseconds kLongYield{500};
  // Most of them among ranks: a tenth of a second, or a few.
  static constexpr int kLongYields = 30;
  int looks_, spins_, yields_ = kYields;
  const bool amongRanks_;
  int turns_ = 0;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_BACKOFF_H
