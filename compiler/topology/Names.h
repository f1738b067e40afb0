//===- Names.h - rules for ids and names ------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_NAMES_H
#define BLINK_COMPILER_TOPOLOGY_NAMES_H

#include "schedules/MachineLimits.h"

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
  if (text.empty() || text.size() > sched::kMostNameBytes ||
      !llvm::json::isUTF8(text))
    return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F are C2 80 to C2 9F.
    if (byte < 0x20 || byte == 0x7f ||
        (byte == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0))
      return false;
  }
  return true;
}

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_NAMES_H
