//===- Errors.h - the last error of threads and ranks -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_API_ERRORS_H
#define BLINK_RUNTIME_API_ERRORS_H

#include "runtime/Status.h"

#include <exception>
#include <mutex>
#include <new>

namespace blink::runtime {

/// The sentence of the last error of a communicator. Thread-safe.
class LastError {
public:
  void set(const std::string &text) {
    std::lock_guard<std::mutex> lock(mutex_);
    text_ = text;
  }
  std::string get() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return text_;
  }

private:
  mutable std::mutex mutex_;
  std::string text_;
};

/// The sentence of this thread's last error.
extern thread_local std::string threadError;

/// Records an error for the thread and, if `comm` is not null, for the
/// communicator.
blinkResult_t report(const Status &status, LastError *comm = nullptr);

/// Records and returns an invalid argument.
blinkResult_t refuse(const char *text);

/// Calls `function` and turns exceptions into result codes, because no
/// exception may leave the library.
template <typename Function> blinkResult_t guarded(Function function) {
  try {
    return function();
  } catch (const std::bad_alloc &) {
    threadError.assign("out of memory"); // fits without allocating
    return blinkSystemError;
  } catch (const std::exception &) {
    threadError.assign("a defect");
    return blinkInternalError;
  }
}

/// Like guarded(), for functions that return a Status: no exception may leave a
/// thread of the library either.
template <typename Function> Status withoutExceptions(Function function) {
  Status status;
  const blinkResult_t code = guarded([&] {
    status = function();
    return status.code;
  });
  return status.code == code ? status : Status(code, threadError);
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_API_ERRORS_H
