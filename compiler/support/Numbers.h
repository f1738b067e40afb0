//===- Numbers.h - lists of numbers -----------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SUPPORT_NUMBERS_H
#define BLINK_COMPILER_SUPPORT_NUMBERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace blink {

/// Returns "0,1,4".
inline std::string joinNumbers(llvm::ArrayRef<int> numbers,
                               llvm::StringRef separator = ",") {
  auto word = [](int number) { return std::to_string(number); };
  return llvm::join(llvm::map_range(numbers, word), separator);
}

/// Returns 0 to count - 1.
inline std::vector<int> firstNumbers(size_t count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// Returns bits that look random and depend only on the three numbers. They
/// break ties without preferring any candidate.
inline uint32_t scrambled(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t bits = (a * 0x9e3779b9u) ^ (b * 0x85ebca6bu) ^ (c * 0xc2b2ae35u);
  bits = (bits ^ (bits >> 15)) * 0x2c1b3c6du;
  bits = (bits ^ (bits >> 12)) * 0x297a2d39u;
  return bits ^ (bits >> 15);
}

} // namespace blink

#endif // BLINK_COMPILER_SUPPORT_NUMBERS_H
