//===- ClusterRules.h - the rules of bundle.fbs for clusters ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Internal to schedules/.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_CLUSTERRULES_H
#define BLINK_SCHEDULES_CLUSTERRULES_H

#include "schedules/ReadBudget.h"
#include "schedules/bundle_generated.h"

#include <string>

namespace blink::sched {

/// Walks the cluster of an index whose GPUs obey the rules. Returns an empty
/// string, or the first violation as "index path: what". Does not check that
/// the permutations are symmetries of the topology: `blinkc verify` proves
/// that.
[[nodiscard]] std::string checkClusterRules(const Bundle &index,
                                            ReadBudget &budget);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_CLUSTERRULES_H
