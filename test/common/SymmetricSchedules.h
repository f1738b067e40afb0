//===- SymmetricSchedules.h - symmetric schedules for tests -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_COMMON_SYMMETRICSCHEDULES_H
#define BLINK_TEST_COMMON_SYMMETRICSCHEDULES_H

#include "schedules/SymmetryGroup.h"
#include "test/common/ScheduleBuilder.h"

namespace blink::test {

/// Returns a correct schedule, in full, in which rank r does what rank 0 does
/// with all rank numbers shifted by r. `treesPerRoot` trees of rank 0 are
/// random; the other trees are their copies. Steps are distributed over `lanes`
/// lanes, ordered by how many hops their data has made and then by the distance
/// of their trees' roots. Not for rooted collectives.
TestSchedule makeSymmetricSchedule(Collective collective, int numRanks,
                                   int treesPerRoot, int lanes, uint32_t seed);

/// Returns the renaming of GPU i to i + by that generates `steps` elements.
sched::Renaming shiftBy(int numRanks, int by, uint32_t steps);

} // namespace blink::test

#endif // BLINK_TEST_COMMON_SYMMETRICSCHEDULES_H
