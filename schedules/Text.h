//===- Text.h - sentences made of parts -------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_TEXT_H
#define BLINK_SCHEDULES_TEXT_H

#include <string>
#include <type_traits>

namespace blink {

/// Concatenates strings and numbers: textOf("rank ", 3, " of ", 8).
template <typename... Parts> std::string textOf(const Parts &...parts) {
  std::string text;
  const auto append = [&](const auto &part) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>)
      text += std::to_string(part);
    else
      text += part;
  };
  (append(parts), ...);
  return text;
}

/// Returns the items with separators: "1,4,5,6".
template <typename List>
std::string joined(const List &list, const char *separator = ",") {
  std::string text;
  for (const auto &item : list)
    text += textOf(text.empty() ? "" : separator, item);
  return text;
}

} // namespace blink

#endif // BLINK_SCHEDULES_TEXT_H
