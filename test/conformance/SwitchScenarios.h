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

/// Makes the communicator of a rank, on the current device. "" or the error's
/// sentence.
using JoinRank = std::function<std::string(int rank, blinkComm_t &comm)>;

/// "switch": a switch works for all ranks, in calls of all sizes, each alone
/// and one after the other. After a colon what happens to the last rank, or the
/// one of "rank=R":
///   "fails=CALL@N", "dies=CALL@N", "late=CALL@N": its N-th call of that
///     function when the communicator is made
///   "without": its GPU cannot multicast
///   "killed=B": it dies before barrier B of its first call
///   "ends=B": it aborts and destroys its communicator while the first rank
///     rests before barrier B of its call
/// and "one": all ranks are on one GPU; "pairs": this process has the next
/// rank, too. Returns "good", or what is wrong.
std::string switchScenario(const std::string &name, const JoinRank &join);

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_SWITCHSCENARIOS_H
