//===- Contains.h - a part of a message -------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_COMMON_CONTAINS_H
#define BLINK_TEST_COMMON_CONTAINS_H

#include <string>

namespace blink::test {

inline bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace blink::test

#endif // BLINK_TEST_COMMON_CONTAINS_H
