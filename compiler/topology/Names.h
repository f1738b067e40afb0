//===- Names.h - rules for ids and names ------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_NAMES_H
#define BLINK_COMPILER_TOPOLOGY_NAMES_H

#include "schedules/MachineLimits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace blink {

/// The rule that isName checks, in words.
inline constexpr llvm::StringLiteral kNameRule =
    "a name of 1 to 255 bytes without control characters";
static_assert(sched::kMostNameBytes == 255, "as kNameRule says");

/// Returns true if nodes, devices and machines may have this name. Names are
/// copied into files, messages and reports without escaping.
inline bool isName(llvm::StringRef text) {
  return !text.empty() && text.size() <= sched::kMostNameBytes &&
         llvm::none_of(text,
                       [](unsigned char c) { return c < 0x20 || c == 0x7f; }) &&
         llvm::json::isUTF8(text);
}

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_NAMES_H
