//===- Heartbeats.cpp - a thread that calls at intervals ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/network/Heartbeats.h"

#include "runtime/QuietThread.h"

#include <algorithm>
#include <set>
#include <unistd.h>

namespace blink::runtime::network {
namespace {

/// The running threads, to be stopped before the process exits: UCX tears down
/// its state in destructors of its own, which run after this one's.
struct Running {
  std::mutex mutex;
  std::set<Heartbeats *> all;
  const pid_t process = getpid();

  ~Running() {
    while (process == getpid()) {
      Heartbeats *next = nullptr;
      {
        std::lock_guard<std::mutex> lock(mutex);
        if (all.empty())
          return;
        next = *all.begin();
        all.erase(all.begin());
      }
      next->stop();
    }
  }
  static Running &get() {
    static Running running;
    return running;
  }
};

} // namespace

bool Heartbeats::start(Clock::duration interval,
                       std::function<void(Clock::duration)> beat) {
  process_ = getpid();
  const Status started =
      startQuietThread(thread_, [this, interval, beat = std::move(beat)] {
        main(interval, beat);
      });
  Running &running = Running::get();
  std::lock_guard<std::mutex> lock(running.mutex);
  if (started.ok())
    running.all.insert(this);
  return started.ok();
}

bool Heartbeats::ours() const { return process_ == 0 || process_ == getpid(); }

void Heartbeats::stop() {
  if (!thread_.joinable())
    return;
  if (!ours()) {
    thread_.detach(); // only the parent has the thread
    return;
  }
  {
    Running &running = Running::get();
    std::lock_guard<std::mutex> lock(running.mutex);
    running.all.erase(this);
  }
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

bool Heartbeats::pause(Clock::duration time) {
  std::unique_lock<std::mutex> lock(mutex_);
  return !wake_.wait_for(lock, time, [this] { return stopping_; });
}

void Heartbeats::main(Clock::duration interval,
                      const std::function<void(Clock::duration)> &beat) {
  Clock::time_point due = Clock::now() + interval;
  for (;;) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (wake_.wait_until(lock, due, [this] { return stopping_; }))
        return;
    }
    const Clock::time_point now = Clock::now();
    beat(now - due);
    // The time that a beat takes delays the next one, too.
    due = now + interval;
  }
}

} // namespace blink::runtime::network
