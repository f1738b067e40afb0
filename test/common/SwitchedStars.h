//===- SwitchedStars.h - trees for which a switch works ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_COMMON_SWITCHEDSTARS_H
#define BLINK_TEST_COMMON_SWITCHEDSTARS_H

#include "test/common/ScheduleBuilder.h"

namespace blink::test {

/// An allreduce of `treesPerRoot` stars of each rank, all over one switch that
/// works for them. Of `options` trees and shape are not looked at.
TestSchedule switchedStars(int numRanks, int treesPerRoot,
                           const BuildOptions &options);

/// Adds a switch, joined with each GPU, and has it reduce and multicast for
/// each tree of an allreduce that is a star, whose channels then go over it.
/// Links to and from it stand behind all others, GPU by GPU.
void leadOverSwitch(TestSchedule &schedule);

} // namespace blink::test

#endif // BLINK_TEST_COMMON_SWITCHEDSTARS_H
