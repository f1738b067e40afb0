//===- ShrinkScenarios.h - processes that go on without some ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_SHRINKSCENARIOS_H
#define BLINK_TEST_CONFORMANCE_SHRINKSCENARIOS_H

#include "runtime/blink.h"

#include <string>

namespace blink::test {

/// One rank of a scenario "shrink-...", as ShrinkProcessesTest describes them.
/// `flag`: a path where nothing is, for ranks to signal with. Frees `comm` and
/// may replace it. Returns "good" or what went wrong.
std::string shrinkScenario(const std::string &scenario, blinkComm_t &comm,
                           int numRanks, int self, const std::string &flag);

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_SHRINKSCENARIOS_H
