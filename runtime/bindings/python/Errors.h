//===- Errors.h - results as exceptions -------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Converts result codes of blink.h to the exceptions of blink/errors.py.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_PYTHON_ERRORS_H
#define BLINK_RUNTIME_BINDINGS_PYTHON_ERRORS_H

#include "runtime/blink.h"

#include <nanobind/nanobind.h>

#include <sstream>
#include <string>

namespace blink::python {

/// Returns the exception for a result code, without raising it.
nanobind::object makeError(blinkResult_t code, const std::string &sentence);

[[noreturn]] void raise(blinkResult_t code, const std::string &sentence);

/// Raises blink.InvalidArgument with the concatenated parts as its sentence.
template <typename... Parts> [[noreturn]] void refuse(const Parts &...parts) {
  std::ostringstream text;
  (text << ... << parts);
  raise(blinkInvalidArgument, text.str());
}

/// A result with its sentence. It is taken in the thread that made the call,
/// and raised once the thread holds the GIL again.
struct Outcome {
  blinkResult_t code = blinkSuccess;
  std::string sentence;

  Outcome() = default;
  Outcome(blinkResult_t code, std::string sentence)
      : code(code), sentence(std::move(sentence)) {}
  /// Made from the result of a function of blink.h, right after that has
  /// returned.
  Outcome(blinkResult_t code)
      : code(code),
        sentence(code == blinkSuccess ? "" : blinkGetLastError(nullptr)) {}

  bool ok() const { return code == blinkSuccess; }
  void raiseIfFailed() const {
    if (!ok())
      raise(code, sentence);
  }
};

} // namespace blink::python

#endif // BLINK_RUNTIME_BINDINGS_PYTHON_ERRORS_H
