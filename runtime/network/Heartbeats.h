//===- Heartbeats.h - a thread that calls now and then ----------*- C++ -*-===//
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

/// Calls `beat` in intervals, with how much later than it should have: its
/// process may have been stopped, or the processors busy.
class Heartbeats {
public:
  using Clock = std::chrono::steady_clock;

  ~Heartbeats() { stop(); }
  /// False: no thread could be made.
  bool start(Clock::duration interval,
             std::function<void(Clock::duration late)> beat);
  /// Returns when no beat is under way. In a forked child there is none.
  void stop();
  /// For a beat: waits for a moment; false if it is to end.
  bool pause(Clock::duration time);
  /// Whether this process is the one that started it.
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
