//===- WindowScenarios.h - registered buffers of processes ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What one process of a job does in the tests of blinkMemAlloc and
// blinkCommRegister on the host.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_WINDOWSCENARIOS_H
#define BLINK_TEST_CONFORMANCE_WINDOWSCENARIOS_H

#include <string>

namespace blink::test {

/// `name` is "windows", followed after colons by "mixed" or "parts", "closed",
/// "confined"; or it is "window-errors", "window-alone", "window-ahead",
/// "window-death" or "window-stopped". Returns "good", or what is wrong, or the
/// error text.
std::string windowScenario(const std::string &name);

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_WINDOWSCENARIOS_H
