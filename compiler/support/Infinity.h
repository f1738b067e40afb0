//===- Infinity.h - the value for unbounded numbers -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SUPPORT_INFINITY_H
#define BLINK_COMPILER_SUPPORT_INFINITY_H

#include <limits>

namespace blink {

/// The cost of what is impossible, and the rate of what is unbounded.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

} // namespace blink

#endif // BLINK_COMPILER_SUPPORT_INFINITY_H
