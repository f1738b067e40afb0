//===- VerifySupport.h - schedules to judge, and ways to break them -------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Every test starts from a correct schedule, breaks one thing, and expects
// certain checks to fail and no others.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_VERIFY_VERIFYSUPPORT_H
#define BLINK_TEST_UNIT_VERIFY_VERIFYSUPPORT_H

#include "compiler/verify/Verify.h"
#include "test/common/Contains.h"
#include "test/common/OpenedSchedule.h"

namespace blink::test {

using sched::OperandKind;

inline TestOperand input(uint32_t block = 0) {
  return {OperandKind::input, block};
}
inline TestOperand output(uint32_t block = 0) {
  return {OperandKind::output, block};
}
inline TestOperand channel(uint32_t index) {
  return {OperandKind::channel, index};
}

/// Returns the report on the first program; an error of the loader ends the
/// test.
VerifyReport judge(const TestSchedule &schedule);

/// Returns the names of the checks that failed, separated by spaces: "result
/// in-place".
std::string failures(const VerifyReport &report);
/// Returns the text of a check.
std::string detailOf(const VerifyReport &report, const std::string &name);

/// Returns a schedule of one tree over ranks that are joined by direct links,
/// without folds; addChannel adds channels. Its rate and bound are correct only
/// after `settleRates`.
TestSchedule emptySchedule(Collective collective, int numRanks);
uint32_t addChannel(TestSchedule &schedule, int source, int destination);
void settleRates(TestSchedule &schedule);

/// Returns a schedule in which two ranks exchange their inputs and add up in
/// the same order. With `inOneLane` the sending fold precedes, in the same
/// lane, the fold that overwrites the input if the call is in place.
TestSchedule exchange(bool inOneLane);

} // namespace blink::test

#endif // BLINK_TEST_UNIT_VERIFY_VERIFYSUPPORT_H
