//===- SymmetricSchedules.h - schedules that are alike ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_COMMON_SYMMETRICSCHEDULES_H
#define BLINK_TEST_COMMON_SYMMETRICSCHEDULES_H

#include "schedules/SymmetryGroup.h"
#include "test/common/ScheduleBuilder.h"

namespace blink::test {

/// A right schedule, in full, on which rank r does what rank 0 does with all
/// ranks r further: `treesPerRoot` random trees of rank 0, their images, and
/// steps dealt out to `lanes` lanes in the order of how far data has come, and
/// of how far their trees' roots are. Not of rooted collectives.
TestSchedule makeSymmetricSchedule(Collective collective, int numRanks,
                                   int treesPerRoot, int lanes, uint32_t seed);

/// The renaming of its GPUs, i to i + by, that makes `steps` elements.
sched::Renaming shiftBy(int numRanks, int by, uint32_t steps);

} // namespace blink::test

#endif // BLINK_TEST_COMMON_SYMMETRICSCHEDULES_H
