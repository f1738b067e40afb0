//===- Cluster.h - schedules for several servers, for tests -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_COMMON_CLUSTER_H
#define BLINK_TEST_COMMON_CLUSTER_H

#include "test/common/ScheduleBuilder.h"

namespace blink::test {

/// Spreads the GPUs of a schedule made by makeSchedule() or onMachine() over
/// servers; `serverOf` is the server of each GPU. Links between servers are
/// replaced by `rails` NICs per server. Channels between servers use the NICs
/// in turn and become network channels.
void spread(TestSchedule &schedule, const std::vector<int> &serverOf,
            int rails = 1);

} // namespace blink::test

#endif // BLINK_TEST_COMMON_CLUSTER_H
