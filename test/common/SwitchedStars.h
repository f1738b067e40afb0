//===- SwitchedStars.h - trees for which a switch works ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_COMMON_SWITCHEDSTARS_H
#define BLINK_TEST_COMMON_SWITCHEDSTARS_H

#include "test/common/ScheduleBuilder.h"

namespace blink::test {

/// Returns an allreduce in which each rank is the root of `treesPerRoot` stars,
/// all over one switch that works for them. Ignores treesPerBlock and shape of
/// `options`.
TestSchedule switchedStars(int numRanks, int treesPerRoot,
                           const BuildOptions &options);

/// Adds a switch with links to and from each GPU. The switch reduces and
/// multicasts for each tree of an allreduce that is a star, and the channels of
/// that tree go over it. The new links follow all others, GPU by GPU.
void leadOverSwitch(TestSchedule &schedule);

} // namespace blink::test

#endif // BLINK_TEST_COMMON_SWITCHEDSTARS_H
