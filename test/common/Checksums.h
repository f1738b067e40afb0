//===- Checksums.h - recomputes the checksums of changed files --*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// For tests that change bytes of a file and want the checks after the checksum
// to find the change.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_COMMON_CHECKSUMS_H
#define BLINK_TEST_COMMON_CHECKSUMS_H

#include <string>

namespace blink::test {

/// Recomputes the checksum of a schedule, of a bundle's index or of a golden
/// summary, in place. Returns false if there is no room for one.
bool reseal(std::string &bytes);

} // namespace blink::test

#endif // BLINK_TEST_COMMON_CHECKSUMS_H
