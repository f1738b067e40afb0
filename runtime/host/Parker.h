//===- Parker.h - where a lane sleeps ---------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_PARKER_H
#define BLINK_RUNTIME_HOST_PARKER_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace blink::runtime {

/// One thread sleeps here until another says that something it named has
/// changed. With many more lanes than processors it is sleeping, not spinning,
/// that lets the others get on. Waking costs a load while nobody sleeps, or
/// while the sleeper waits for something else.
class Parker {
public:
  using Clock = std::chrono::steady_clock;
  static constexpr uint64_t kNothing = ~uint64_t(0);

  /// Sleeps until `ready()`, at most until `deadline`; returns ready(). Needed:
  /// whoever makes ready() true does so with a sequentially consistent store
  /// and then calls wake(what) or wakeAlways().
  template <typename Ready>
  bool park(uint64_t what, Ready ready, Clock::time_point deadline) {
    std::unique_lock<std::mutex> lock(mutex_);
    waitingFor_.store(what, std::memory_order_seq_cst);
    // seq_cst: either this ready() sees the change, or wake() sees the store.
    bool result = ready();
    while (!result) {
      bool late =
          condition_.wait_until(lock, deadline) == std::cv_status::timeout;
      result = ready();
      if (late)
        break;
    }
    waitingFor_.store(kNothing, std::memory_order_relaxed);
    return result;
  }

  void wake(uint64_t what) {
    if (waitingFor_.load(std::memory_order_seq_cst) == what)
      wakeAlways();
  }

  void wakeAlways() {
    // Taking the mutex waits for a sleeper that has looked but not yet slept.
    {
      std::lock_guard<std::mutex> lock(mutex_);
    }
    condition_.notify_one();
  }

private:
  std::mutex mutex_;
  std::condition_variable condition_;
  std::atomic<uint64_t> waitingFor_{kNothing};
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_PARKER_H
