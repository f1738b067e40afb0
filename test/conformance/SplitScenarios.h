//===- SplitScenarios.h - processes that split ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_SPLITSCENARIOS_H
#define BLINK_TEST_CONFORMANCE_SPLITSCENARIOS_H

#include "runtime/blink.h"

#include <string>

namespace blink::test {

/// Runs one rank of a scenario "split...", as described in SplitTest. Returns
/// "good" or what went wrong.
std::string splitScenario(const std::string &scenario, blinkComm_t comm,
                          int numRanks, int self);

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_SPLITSCENARIOS_H
