//===- Decimal.h - real numbers that users write ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SUPPORT_DECIMAL_H
#define BLINK_COMPILER_SUPPORT_DECIMAL_H

#include "llvm/ADT/StringRef.h"

namespace blink {

/// Sets `number` to what `text` says in decimal, such as 12.5 or 1e3, and
/// returns true. StringRef::getAsDouble also takes 0x1p3, infinity and NaN.
inline bool parseDecimal(llvm::StringRef text, double &number) {
  return text.find_first_not_of("0123456789+-.eE") == llvm::StringRef::npos &&
         !text.getAsDouble(number);
}

} // namespace blink

#endif // BLINK_COMPILER_SUPPORT_DECIMAL_H
