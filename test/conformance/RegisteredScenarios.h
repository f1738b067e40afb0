//===- RegisteredScenarios.h - registered GPU memory ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What one process of a job does in the tests of blinkCommRegister on GPUs.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_REGISTEREDSCENARIOS_H
#define BLINK_TEST_CONFORMANCE_REGISTEREDSCENARIOS_H

#include <string>

namespace blink::test {

/// `name` is "registered", or "registered-late": the last rank registers
/// nothing until the others have given up. These may follow, after colons:
///
///   "kind=KIND": a kind of GpuMemory, "plain" if not given
///   "broadcast": a broadcast comes first, in a schedule of all collectives
///   "refused": the last rank's memory is of that kind and cannot be shared
///   "fails=CALL@N": on emulated devices, the last rank's N-th call of that
///     function fails when all ranks register for the first time
///
/// Returns "good", or what is wrong, or the error text.
std::string registeredScenario(const std::string &name);

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_REGISTEREDSCENARIOS_H
