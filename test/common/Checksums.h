//===- Checksums.h - makes checksums right again ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// For tests that change bytes of a file and want what comes behind the checksum
// to find it.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_COMMON_CHECKSUMS_H
#define BLINK_TEST_COMMON_CHECKSUMS_H

#include <string>

namespace blink::test {

/// Writes the checksum of a schedule, of a bundle's index or of a golden
/// summary anew, in place. False: there is no room for one.
bool reseal(std::string &bytes);

} // namespace blink::test

#endif // BLINK_TEST_COMMON_CHECKSUMS_H
