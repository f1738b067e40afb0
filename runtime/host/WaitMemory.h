//===- WaitMemory.h - how long waits take -----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Each message of a short call is waited for by the next one, so that every
// waking up makes the call longer.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_WAITMEMORY_H
#define BLINK_RUNTIME_HOST_WAITMEMORY_H

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace blink::runtime {

/// What a thread knows of its waits from those at the same places before: calls
/// of one kind wait for the same things, which take about as long each time. Of
/// two places with one entry the last one has it.
class WaitMemory {
public:
  using Time = std::chrono::nanoseconds;

  /// What the wait at `place` takes in all likelihood at least; 0: not known.
  Time least(uint64_t place) const {
    const Entry &entry = entries_[place % kEntries];
    if (entry.place != place)
      return Time(0);
    const float least = entry.mean - kDeviations * entry.deviation;
    return Time(least > 0 ? int64_t(least) : 0);
  }

  /// It has taken so long.
  void note(uint64_t place, Time took) {
    Entry &entry = entries_[place % kEntries];
    const auto time = float(took.count());
    if (entry.place != place) {
      entry = {place, time, time / kDeviations};
      return;
    }
    // As TCP does for what answers take.
    const float error = time - entry.mean;
    entry.mean += error / 8;
    entry.deviation += (std::fabs(error) - entry.deviation) / 4;
  }

private:
  static constexpr size_t kEntries = 61;
  static constexpr float kDeviations = 2;
  struct Entry {
    uint64_t place = ~uint64_t(0);
    float mean = 0, deviation = 0;
  };
  std::array<Entry, kEntries> entries_;
};

/// A wait of a short call: until a while before such waits have ended a thread
/// sleeps, if that is worth it, and then it looks. Only when that has taken as
/// long as many wakings up it sleeps until something comes.
class ShortWait {
public:
  using Clock = std::chrono::steady_clock;

  /// Whether the thread, which waits at `place`, sleeps now; `most` becomes for
  /// how long, if that is less.
  bool sleeps(const WaitMemory &memory, uint64_t place, Clock::time_point now,
              WaitMemory::Time &most) {
    if (waits_)
      return now >= looksUntil_;
    waits_ = true;
    place_ = place;
    began_ = now;
    const WaitMemory::Time time = memory.least(place) - kTimeToWake;
    looksUntil_ = now + kMostLooked + std::max(time, WaitMemory::Time(0));
    if (time < kLeastSleep)
      return false;
    most = std::min(most, time);
    return true;
  }
  /// It has ended, if there is one.
  void end(WaitMemory &memory) {
    if (waits_)
      end(memory, Clock::now());
  }
  void end(WaitMemory &memory, Clock::time_point now) {
    memory.note(place_, now - began_);
    waits_ = false;
  }

private:
  /// What timers are late, and processors that have slept.
  static constexpr std::chrono::microseconds kTimeToWake{120};
  static constexpr std::chrono::microseconds kLeastSleep{50};
  static constexpr std::chrono::microseconds kMostLooked{300};
  bool waits_ = false;
  uint64_t place_ = 0;
  Clock::time_point began_, looksUntil_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_WAITMEMORY_H
