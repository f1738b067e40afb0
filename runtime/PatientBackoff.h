//===- PatientBackoff.h - waiting for processes that start ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// How a thread waits for processes that are still starting.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_PATIENTBACKOFF_H
#define BLINK_RUNTIME_PATIENTBACKOFF_H

#include <algorithm>
#include <chrono>
#include <sched.h>
#include <thread>

namespace blink::runtime {

/// For a thread that waits until other processes have started, which can take
/// long: each sleep lasts 1/16 of the time waited so far, at most 20 ms.
/// Hundreds of ranks that poll more often would leave each other no processor
/// time to start.
class PatientBackoff {
public:
  void wait() {
    using Clock = std::chrono::steady_clock;
    if (turns_++ < kYields) {
      sched_yield();
      return;
    }
    const Clock::duration part = (Clock::now() - began_) / kPart;
    std::this_thread::sleep_for(
        std::clamp<Clock::duration>(part, kLeast, kMost));
  }

  /// Whether waits have become long enough to afford a look at clocks and
  /// processes.
  bool sleeping() const { return turns_ > kYields; }

private:
  static constexpr int kYields = 100;
  static constexpr int kPart = 16;
  static constexpr std::chrono::microseconds kLeast{20}, kMost{20000};
  const std::chrono::steady_clock::time_point began_ =
      std::chrono::steady_clock::now();
  int turns_ = 0;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_PATIENTBACKOFF_H
