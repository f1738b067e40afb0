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

#include "runtime/blink.h"

#include <string>

namespace blink::test {

/// "windows", and after colons "mixed" or "parts", "closed", "confined";
/// "window-errors", "window-alone", "window-ahead", "window-death" or
/// "window-stopped". Returns "good", or what is wrong, or the error's sentence.
std::string windowScenario(const std::string &name);

/// Waits until the job has failed, on whichever rank, for 20 s at most: how a
/// rank is later than the others without a guess of how long they take.
bool waitForFailure(blinkComm_t comm);

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_WINDOWSCENARIOS_H
