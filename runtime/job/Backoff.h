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

/// For a loop that polls. With each turn it first spins, then lets other
/// threads run, then sleeps, for longer and longer times up to half a
/// millisecond. The awaited event may come from another process, so nothing
/// wakes the thread.
///
/// A thread that yields to threads that compute gets the processor back only
/// when those have used up their time slices; a thread that sleeps gets it when
/// it wakes up. Therefore, after a yield that took long, this class sleeps:
/// thousands of such yields would be many seconds without a look at the clock.
class Backoff {
public:
  /// `crowded`: there are more threads at work than processors, and spinning
  /// takes time from the thread that is waited for. `amongRanks`: the threads
  /// that get the processor are likely the ones that are waited for, so a few
  /// long yields are better than sleeping.
  explicit Backoff(bool crowded, bool amongRanks = false)
      : looks_(crowded      ? 0
               : amongRanks ? kSpins
                            : kNetworkSpins),
        spins_(looks_), amongRanks_(amongRanks) {}

  void reset() {
    turns_ = 0;
    spins_ = looks_;
  }
  /// Returns true if the loop has spun and is about to let other threads run:
  /// the moment to find out which thread this processor belongs to, and to call
  /// share() or spinOn().
  bool spun() const { return turns_ == looks_; }
  /// The awaited thread needs this very processor: stops spinning.
  void share() { looks_ = spins_ = 0; }
  /// The awaited thread does not need this processor: spins longer this time.
  /// If this thread yielded, a thread of some other program that computes here
  /// would keep the processor for milliseconds. Has no effect in loops that
  /// poll a network: their turns take a microsecond each, and the thread that
  /// moves the awaited data may need this processor without this thread
  /// knowing.
  void spinOn() {
    if (amongRanks_)
      spins_ = kLongSpins;
  }
  int turns() const { return turns_; }

  /// Waits for a short time.
  void wait() { wait(sleep); }
  /// Same, but calls `sleep` to sleep for the given time, or until the awaited
  /// event may have happened.
  template <typename Sleep> void wait(const Sleep &sleep) {
    ++turns_;
    if (turns_ <= spins_)
      return pause();
    if (turns_ <= spins_ + yields_)
      return yield();
    const long doublings = std::min<long>(turns_ - spins_ - yields_, 5);
    sleep(std::chrono::nanoseconds(16000L << doublings));
  }
  /// Sleeps for `time`, less than a second.
  static void sleep(std::chrono::nanoseconds time) {
    const timespec spec{0, long(time.count())};
    nanosleep(&spec, nullptr);
  }

  /// Whether waits have become long enough to afford a look at clocks and
  /// processes.
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
      turns_ = spins_ + 1; // past spun()
    }
  }

  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  // One or two microseconds: the awaited thread may need this very processor.
  static constexpr int kSpins = 40;
  // The same for turns that poll a network.
  static constexpr int kNetworkSpins = 8;
  // Some tens of microseconds.
  static constexpr int kLongSpins = 1000;
  // About a millisecond. While no other thread wants to run, yielding is the
  // same as spinning.
  static constexpr int kYields = 3000;
  static constexpr std::chrono::microseconds kLongYield{500};
  // The most long yields among ranks: they take a tenth of a second, or a few
  // tenths.
  static constexpr int kLongYields = 30;
  int looks_, spins_, yields_ = kYields;
  const bool amongRanks_;
  int turns_ = 0;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_BACKOFF_H
