//===- Numbers.h - lists of numbers as text ---------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SUPPORT_NUMBERS_H
#define BLINK_COMPILER_SUPPORT_NUMBERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>
#include <string>
#include <vector>

namespace blink {

/// "0,1,4"
inline std::string joinNumbers(llvm::ArrayRef<int> numbers,
                               llvm::StringRef separator = ",") {
  auto word = [](int number) { return std::to_string(number); };
  return llvm::join(llvm::map_range(numbers, word), separator);
}

/// 0 to count - 1.
inline std::vector<int> firstNumbers(size_t count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

} // namespace blink

#endif // BLINK_COMPILER_SUPPORT_NUMBERS_H
