//===- CommState.h - a communicator and its locks ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The locks with which threads share a blinkComm_t that any of them may close
// or abort at any time: Python programs share objects between threads.
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

  /// Held while a call runs, which can be long. Locked before `life`, and
  /// without the GIL.
  std::mutex turn;
  /// Guards `handle`. Held only while a call is handed to the library, not
  /// while it runs, so that blinkCommAbort, which frees the communicator, can
  /// be called meanwhile: the library keeps what a call in a group needs.
  std::mutex life;
  /// Null: closed, or not made yet because the group has not ended.
  blinkComm_t handle = nullptr;
  /// Registered buffers, by handle; guarded by the GIL.
  std::map<void *, Buffer> registered;

  const int rank, size;
  const std::optional<int> gpu; ///< CUDA's number; not set on the host

  /// Returns success, or why no call can be made. Called before any lock is
  /// taken, because a forked child has copies of locks that no thread will
  /// release.
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
