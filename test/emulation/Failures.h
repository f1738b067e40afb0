//===- Failures.h - emulated CUDA calls that fail ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_EMULATION_FAILURES_H
#define BLINK_TEST_EMULATION_FAILURES_H

#include <string>

namespace blink::test {

/// Makes one call of the function `name` fail with the number `error`: the n-th
/// from now on, counted from 0, among calls of this process's threads whose
/// current device is `device` (-1: any).
void failCall(const std::string &name, unsigned n, int error, int device = -1);

/// Special numbers for failCall(): with kDies the process is killed; with
/// kIsLate the call works, but three seconds late.
inline constexpr int kDies = -1, kIsLate = -2;

/// Returns the number of failures that have not happened yet.
unsigned failuresLeft();

/// For the emulation: counts a call of `name`. Returns the number with which
/// the call must fail, or 0. Kills the process or waits if failCall() has asked
/// for that.
int failureOf(const char *name, int device);

} // namespace blink::test

#endif // BLINK_TEST_EMULATION_FAILURES_H
