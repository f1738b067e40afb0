//===- Machine.h - what a back end does for a job ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_MACHINE_H
#define BLINK_RUNTIME_MACHINE_H

#include "runtime/Call.h"

#include <memory>

namespace blink::runtime {

/// The ranks of one job that live in this process, behind their communicators.
/// Once a collective has failed in between, or a rank aborts, the job has
/// failed for good: every call on every rank ends with the same error, and only
/// destroying is left. Thread-safe, but for one call or group at a time on a
/// rank.
class Machine {
public:
  virtual ~Machine() = default;

  blinkBackend_t backend() const { return backend_; }
  const Plan &plan() const { return plan_; }

  /// Fails the job and returns when no call of `rank` is left.
  virtual void abort(int rank) = 0;
  /// `rank` will not call again: calls that would need it fail.
  virtual void leave(int rank) = 0;
  /// Whether a call of `rank` is not done yet.
  virtual bool busy(int rank) const = 0;
  /// Buffers that other ranks may write to (blinkCommRegister). A handle is
  /// not 0.
  virtual Status registerBuffer(int, void *, size_t, uintptr_t &handle) {
    handle = 1;
    return {};
  }
  virtual Status deregisterBuffer(int, uintptr_t) { return {}; }
  /// Success, or why the job failed.
  virtual Status failure() const = 0;

protected:
  explicit Machine(blinkBackend_t backend) : backend_(backend) {}

  Plan plan_;

private:
  const blinkBackend_t backend_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_MACHINE_H
