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

/// The first error of several threads. Thread-safe.
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

/// A thread that makes the communicators of one group, or a single one. The
/// communicators share this object. Thread-safe, except for start().
class Making {
public:
  Making() = default;
  ~Making() { wait(); }
  Making(const Making &) = delete;

  /// Starts a thread that calls `make`, which must return soon after `ended`
  /// has an error. Errors: system error if the thread cannot be started.
  Status start(std::function<Status(FirstError &ended)> make);

  /// Returns blinkInProgress, success, or why there is no communicator.
  Status outcome() const;
  /// The same for a call that needs the communicator: invalid usage instead of
  /// blinkInProgress.
  Status usable() const;
  /// Ends the thread because of `why`, unless it has already ended, and waits
  /// for it.
  void end(const Status &why);

private:
  void wait();

  FirstError ended_;
  Status status_;
  /// Whether status_, and what `make` has made, may be read. Stored with
  /// release by the thread after it has written them; loaded with acquire
  /// before they are read.
  std::atomic<bool> over_{false};
  std::mutex joining_; ///< because several communicators may wait
  std::thread thread_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_API_MAKING_H
