//===- Comm.h - the handles of the C API ------------------------*- C++ -*-===//
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

/// The state that calls hold on to, because blinkCommAbort may free the
/// communicator while a call comes to its end. Aligned, so that its reference
/// count has cache lines of its own: ranks of other threads call at the same
/// time.
struct alignas(64) CommState {
  std::shared_ptr<Backend> backend;
  LastError lastError;
  /// Turns of the threads that are in calls. Other threads wait, except those
  /// that end calls or only look (blink.h, "Threads").
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

  /// Returns success, or why no call may use the communicator: it is not made
  /// yet, could not be made, or belongs to another process.
  blink::runtime::Status usable() const {
    if (isForked())
      return {blinkInvalidUsage,
              "the communicator was made before fork(), by another process: "
              "make one in this process"};
    return making ? making->usable() : blink::runtime::Status();
  }

  /// Returns true if the communicator belongs to the process from which this
  /// one was forked. That process must not notice what is done with it here.
  bool isForked() const {
    return generation != blink::runtime::forkGeneration();
  }

  int rank;
  const uint64_t generation = blink::runtime::forkGeneration();
  blink::runtime::Operators operators;
  std::shared_ptr<blink::runtime::CommState> state;
  /// also keeps the state alive
  std::shared_ptr<blink::runtime::Backend> backend;
  /// The thread that makes the communicator, if that was not finished when the
  /// call returned; `backend` is null until it is.
  std::shared_ptr<blink::runtime::Making> making;
};

struct blinkSchedule {
  blink::runtime::ScheduleSet files;
};

#endif // BLINK_RUNTIME_API_COMM_H
