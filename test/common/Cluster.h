//===- Cluster.h - schedules for several servers, for tests -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_COMMON_CLUSTER_H
#define BLINK_TEST_COMMON_CLUSTER_H

#include "test/common/ScheduleBuilder.h"

namespace blink::test {

/// Spreads the GPUs of a schedule that makeSchedule() made, or onMachine(),
/// over servers: between servers links are replaced by `rails` NICs a server,
/// which channels take in turn and become network channels. `serverOf`: of each
/// GPU.
void spread(TestSchedule &schedule, const std::vector<int> &serverOf,
            int rails = 1);

} // namespace blink::test

#endif // BLINK_TEST_COMMON_CLUSTER_H
