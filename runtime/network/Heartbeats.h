//===- Heartbeats.h - a thread that calls at intervals ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_NETWORK_HEARTBEATS_H
#define BLINK_RUNTIME_NETWORK_HEARTBEATS_H

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <sys/types.h>
#include <thread>

namespace blink::runtime::network {

/// Calls `beat` at intervals, and passes how late the call is: the process may
/// have been stopped, or the processors busy.
class Heartbeats {
public:
  using Clock = std::chrono::steady_clock;

  ~Heartbeats() { stop(); }
  /// Returns false if the thread could not be made.
  bool start(Clock::duration interval,
             std::function<void(Clock::duration late)> beat);
  /// Stops the thread; returns when no beat is under way. In a forked child
  /// there is no thread to stop.
  void stop();
  /// For a beat: waits for `time`; returns false if the thread is to end.
  bool pause(Clock::duration time);
  /// Returns true if this process is the one that started the thread.
  bool ours() const;

private:
  void main(Clock::duration interval,
            const std::function<void(Clock::duration)> &beat);

  pid_t process_ = 0;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

} // namespace blink::runtime::network

#endif // BLINK_RUNTIME_NETWORK_HEARTBEATS_H
