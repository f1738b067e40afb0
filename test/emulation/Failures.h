//===- Failures.h - calls of emulated CUDA that fail ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_EMULATION_FAILURES_H
#define BLINK_TEST_EMULATION_FAILURES_H

#include <string>

namespace blink::test {

/// Lets one call of the function `name` fail with the number `error`: the n-th
/// from now on, counted from 0, by threads of this process whose current device
/// is `device` (-1: any).
void failCall(const std::string &name, unsigned n, int error, int device = -1);

/// Numbers that are no errors, for failCall(): with them the process is killed
/// instead, or the call works, three seconds late.
inline constexpr int kDies = -1, kIsLate = -2;

/// How many failures have not struck yet.
unsigned failuresLeft();

/// For the emulation: counts a call of `name`; the number it is to fail with,
/// or 0. Dies, or is late, if that is what it is to do.
int failureOf(const char *name, int device);

} // namespace blink::test

#endif // BLINK_TEST_EMULATION_FAILURES_H
