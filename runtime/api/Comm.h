//===- Comm.h - what the handles of the C API stand for ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_API_COMM_H
#define BLINK_RUNTIME_API_COMM_H

#include "runtime/Backend.h"
#include "runtime/api/Making.h"
#include "runtime/api/Operators.h"

namespace blink::runtime {

/// What calls hold on to: blinkCommAbort may free the communicator while one
/// comes to its end. With its count of references on cache lines of its own, as
/// ranks of other threads call at the same time.
struct alignas(64) CommState {
  std::shared_ptr<Backend> backend;
  LastError lastError;
  /// Held by the thread that is in a call: others wait, but for those that end
  /// calls or only look (blink.h, "Threads").
  std::mutex calling;
};

} // namespace blink::runtime

struct blinkComm {
  explicit blinkComm(int rank)
      : rank(rank), state(std::make_shared<blink::runtime::CommState>()) {}
  blinkComm(std::shared_ptr<blink::runtime::Backend> job, int rank)
      : blinkComm(rank) {
    attach(std::move(job));
  }
  void attach(std::shared_ptr<blink::runtime::Backend> job) {
    state->backend = std::move(job);
    backend = {state, state->backend.get()};
  }

  /// Success, or why no call may use it: it is not made yet, or could not be.
  blink::runtime::Status usable() const {
    return making ? making->usable() : blink::runtime::Status();
  }

  int rank;
  blink::runtime::Operators operators;
  std::shared_ptr<blink::runtime::CommState> state;
  std::shared_ptr<blink::runtime::Backend> backend; ///< keeps the state, too
  /// Who makes it, if that was not over before the call returned; `backend` is
  /// null until it is.
  std::shared_ptr<blink::runtime::Making> making;
};

struct blinkSchedule {
  blink::runtime::ScheduleSet files;
};

#endif // BLINK_RUNTIME_API_COMM_H
