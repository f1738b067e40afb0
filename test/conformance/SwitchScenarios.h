//===- SwitchScenarios.h - processes that a switch helps --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What one process of a job does in the tests of switches, on emulated devices.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_SWITCHSCENARIOS_H
#define BLINK_TEST_CONFORMANCE_SWITCHSCENARIOS_H

#include "runtime/blink.h"

#include <functional>
#include <string>

namespace blink::test {

/// Makes the communicator of a rank on the current device. Returns "" or the
/// error text.
using JoinRank = std::function<std::string(int rank, blinkComm_t &comm)>;

/// Runs the scenario "switch": a switch works for all ranks, in calls of all
/// sizes, each alone and one after the other. After a colon follows what
/// happens to the last rank, or to that of "rank=R":
///
///   "fails=CALL@N", "dies=CALL@N", "late=CALL@N": concerns its N-th call of
///     that function while the communicator is made
///   "without": its GPU cannot multicast
///   "killed=B": it dies before barrier B of its first call
///   "ends=B": it aborts and destroys its communicator while the first rank
///     pauses before barrier B of its call
///
/// Also: "one" puts all ranks on one GPU; with "pairs" this process has the
/// next rank, too. Returns "good" or what is wrong.
std::string switchScenario(const std::string &name, const JoinRank &join);

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_SWITCHSCENARIOS_H
