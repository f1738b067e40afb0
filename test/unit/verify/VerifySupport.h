//===- VerifySupport.h - schedules to judge, and ways to break them -------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Every test starts from a right schedule, breaks one thing, and asks which
// checks fail: the ones that should, and no others.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_VERIFY_VERIFYSUPPORT_H
#define BLINK_TEST_UNIT_VERIFY_VERIFYSUPPORT_H

#include "compiler/verify/Verify.h"
#include "test/common/Contains.h"
#include "test/common/OpenedSchedule.h"

namespace blink::test {

using sched::OperandKind;

/// The folds of a rank, lane by lane: the inverse of rankOf.
TestLanes lanesOf(const TestRank &rank);

inline TestOperand input(uint32_t block = 0) {
  return {OperandKind::input, block};
}
inline TestOperand output(uint32_t block = 0) {
  return {OperandKind::output, block};
}
inline TestOperand channel(uint32_t index) {
  return {OperandKind::channel, index};
}

/// The report on the first program; an error of the loader ends the test.
VerifyReport judge(const TestSchedule &schedule);

/// Names of the checks that failed, with a space between: "result in-place".
std::string failures(const VerifyReport &report);
/// What a check says.
std::string detailOf(const VerifyReport &report, const std::string &name);

/// A schedule of one tree over ranks that are joined by direct links, without
/// folds; channels are added by addChannel. States the right rate and bound
/// only after `settleRates`.
TestSchedule emptySchedule(Collective collective, int numRanks);
uint32_t addChannel(TestSchedule &schedule, int source, int destination);
void settleRates(TestSchedule &schedule);

/// Two ranks exchange their inputs and each adds up the same way. `inOneLane`:
/// the fold that sends shares a lane with, and comes before, the one that
/// overwrites the input when the call is in place.
TestSchedule exchange(bool inOneLane);

} // namespace blink::test

#endif // BLINK_TEST_UNIT_VERIFY_VERIFYSUPPORT_H
