//===- Error.h - errors with a text -----------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SUPPORT_ERROR_H
#define BLINK_COMPILER_SUPPORT_ERROR_H

#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstdio>
#include <string>
#include <type_traits>
#include <utility>

namespace blink {

/// Returns floating-point numbers as %.9g (formatv prints only two decimals),
/// and anything else unchanged.
template <typename T> decltype(auto) readable(T &&value) {
  if constexpr (std::is_floating_point_v<std::decay_t<T>>) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
    return std::string(text);
  } else {
    return std::forward<T>(value);
  }
}

/// Returns an error with a text in formatv's style: makeError("{0} trees", 3).
template <typename... Args>
llvm::Error makeError(const char *format, Args &&...args) {
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      llvm::formatv(format, readable(std::forward<Args>(args))...).str());
}

/// Returns an error with this text.
inline llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

} // namespace blink

#endif // BLINK_COMPILER_SUPPORT_ERROR_H
