//===- Status.h - a result code with its sentence ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_STATUS_H
#define BLINK_RUNTIME_STATUS_H

#include "runtime/blink.h"
#include "schedules/Text.h"

namespace blink::runtime {

/// Success, or an error whose text says place, what and remedy.
struct [[nodiscard]] Status {
  blinkResult_t code = blinkSuccess;
  std::string text;

  Status() = default;
  /// The error is textOf(parts...).
  template <typename... Parts>
  Status(blinkResult_t code, const Parts &...parts)
      : code(code), text(textOf(parts...)) {}

  bool ok() const { return code == blinkSuccess; }
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_STATUS_H
