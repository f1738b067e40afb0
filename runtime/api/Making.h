//===- Making.h - making communicators in the background --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_API_MAKING_H
#define BLINK_RUNTIME_API_MAKING_H

#include "runtime/api/Errors.h"

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

namespace blink::runtime {

/// The first error among threads. Thread-safe.
class FirstError {
public:
  void note(const Status &status) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (first_.ok())
      first_ = status;
  }
  Status get() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return first_;
  }

private:
  mutable std::mutex mutex_;
  Status first_;
};

/// A thread that makes the communicators of one group, or one alone. They share
/// it. Thread-safe, but for start().
class Making {
public:
  Making() = default;
  ~Making() { wait(); }
  Making(const Making &) = delete;

  /// Has `make` called by the thread. It ends soon after ended() is an error.
  /// Errors: system error if there can be no thread.
  Status start(std::function<Status(FirstError &ended)> make);

  /// blinkInProgress, success, or why there is no communicator.
  Status outcome() const;
  /// The same for a call that needs the communicator.
  Status usable() const;
  /// Ends it because of `why`, unless it is over, and waits until it is.
  void end(const Status &why);

private:
  void wait();

  FirstError ended_;
  Status status_;
  /// status_, and what `make` has made, are there to be read. Released by the
  /// thread when it has written them, acquired before they are read.
  std::atomic<bool> over_{false};
  std::mutex joining_; ///< several communicators may wait
  std::thread thread_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_API_MAKING_H
