//===- Comm.h - what the handles of the C API stand for ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_API_COMM_H
#define BLINK_RUNTIME_API_COMM_H

#include "runtime/Backend.h"
#include "runtime/Fork.h"
#include "runtime/api/CallTurns.h"
#include "runtime/api/Making.h"
#include "runtime/api/Operators.h"

namespace blink::runtime {

/// What calls hold on to: blinkCommAbort may free the communicator while one
/// comes to its end. With its count of references on cache lines of its own, as
/// ranks of other threads call at the same time.
struct alignas(64) CommState {
  std::shared_ptr<Backend> backend;
  LastError lastError;
  /// Held by the threads that are in calls. Others wait, but for those that end
  /// calls or only look (blink.h, "Threads").
  CallTurns turns;
  std::mutex exchanging; ///< held by the thread in blinkCommExchange
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
    state->turns.resize(
        blink::runtime::Call::numQueues(state->backend->plan()));
    backend = {state, state->backend.get()};
  }

  /// Success, or why no call may use it: it is not made yet, or could not be,
  /// or is another process's.
  blink::runtime::Status usable() const {
    if (isForked())
      return {blinkInvalidUsage,
              "the communicator was made before fork(), by another process: "
              "make one in this process"};
    return making ? making->usable() : blink::runtime::Status();
  }

  /// Whether it is that of the process this one was forked from, which is not
  /// to notice what becomes of it here.
  bool isForked() const {
    return generation != blink::runtime::forkGeneration();
  }

  int rank;
  const uint64_t generation = blink::runtime::forkGeneration();
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
