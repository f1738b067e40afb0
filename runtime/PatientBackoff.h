//===- PatientBackoff.h - how ranks wait for each other to come -*- C++ -*-===//
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

/// For who waits until other processes have come, which takes as long
/// as they need to start: it sleeps for a part of the time that it has waited,
/// up to 20 ms. Hundreds of ranks that look more often than that leave each
/// other no processor to come with.
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

  /// Long enough to have time for looking at clocks and processes.
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
