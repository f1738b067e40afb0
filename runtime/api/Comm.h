//===- Comm.h - what the handles of the C API stand for ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_API_COMM_H
#define BLINK_RUNTIME_API_COMM_H

#include "runtime/Backend.h"
#include "runtime/api/Errors.h"

namespace blink::runtime {

/// What calls hold on to: blinkCommAbort may free the communicator while one
/// comes to its end. With its count of references on cache lines of its own, as
/// ranks of other threads call at the same time.
struct alignas(64) CommState {
  std::shared_ptr<Backend> backend;
  LastError lastError;
};

} // namespace blink::runtime

struct blinkComm {
  blinkComm(std::shared_ptr<blink::runtime::Backend> jobs, int rank)
      : rank(rank) {
    auto state = std::make_shared<blink::runtime::CommState>();
    state->backend = std::move(jobs);
    backend = {state, state->backend.get()};
    lastError = {state, &state->lastError};
  }

  int rank;
  /// Both keep the rank's CommState.
  std::shared_ptr<blink::runtime::Backend> backend;
  std::shared_ptr<blink::runtime::LastError> lastError;
};

struct blinkSchedule {
  blink::runtime::ScheduleSet files;
};

#endif // BLINK_RUNTIME_API_COMM_H
