//===- CommState.h - a communicator and its locks ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What makes a blinkComm_t, which is for one thread at a time, safe to use from
// any: Python programs share objects between threads.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_PYTHON_COMM_STATE_H
#define BLINK_RUNTIME_BINDINGS_PYTHON_COMM_STATE_H

#include "runtime/bindings/python/Buffer.h"
#include "runtime/bindings/python/Errors.h"

#include <map>
#include <mutex>

#include <unistd.h>

namespace blink::python {

struct CommState {
  CommState(int rank, int size, std::optional<int> gpu)
      : rank(rank), size(size), gpu(gpu) {}
  CommState(const CommState &) = delete;
  CommState &operator=(const CommState &) = delete;
  ~CommState();

  /// Held while a call runs, so for long; taken first, and without the GIL.
  std::mutex turn;
  /// Guards `handle`. Held while a call is handed to the library, not while it
  /// runs, so that blinkCommAbort, which frees the communicator, can come in
  /// between: the library keeps what a call in a group needs.
  std::mutex life;
  /// Null: closed, or yet to be made by a group's end.
  blinkComm_t handle = nullptr;
  /// Buffers that are registered, by handle; with the GIL.
  std::map<void *, Buffer> registered;

  const int rank, size;
  const std::optional<int> gpu; ///< CUDA's number; none: of the host

  /// Why no call can be made, or success. Called before any lock is taken: a
  /// child that was forked has copies of locks that nobody will release.
  Outcome usable() const {
    return getpid() == process_
               ? Outcome()
               : Outcome(blinkInvalidUsage,
                         "the communicator was made before fork(), by another "
                         "process: make one in this process");
  }
  static Outcome closed() {
    return {blinkInvalidUsage, "the communicator is closed"};
  }

private:
  const pid_t process_ = getpid();
};

} // namespace blink::python

#endif // BLINK_RUNTIME_BINDINGS_PYTHON_COMM_STATE_H
