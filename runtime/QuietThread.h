//===- QuietThread.h - threads that receive no signals ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_QUIETTHREAD_H
#define BLINK_RUNTIME_QUIETTHREAD_H

#include "runtime/Status.h"

#include <csignal>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

namespace blink::runtime {

/// Makes `thread` a thread that runs `body` and receives none of the
/// application's signals, which are for the application's own threads. Errors:
/// system error if no thread can be started, or there is no memory for it;
/// `thread` is then not joinable.
template <typename Body>
Status startQuietThread(std::thread &thread, Body body) {
  Status status;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); // the thread inherits the mask
  try {
    thread = std::thread(std::move(body));
  } catch (const std::system_error &error) {
    status = Status(blinkSystemError, "cannot start a thread: ", error.what());
  } catch (const std::bad_alloc &) {
    status = {blinkSystemError, "out of memory"}; // fits without allocating
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return status;
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_QUIETTHREAD_H
