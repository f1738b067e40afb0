//===- TopologyRules.h - the rules of a topology ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_TOPOLOGYRULES_H
#define BLINK_SCHEDULES_TOPOLOGYRULES_H

#include "schedules/ReadBudget.h"
#include "schedules/schedule_generated.h"

#include <string>

namespace blink::sched {

/// Walks the nodes and links of a structurally sound topology, which a schedule
/// or the index of a cluster's bundle holds. Returns an empty string, or the
/// first violation as "topology.links[3]: what". Does not look at names.
[[nodiscard]] std::string checkTopologyRules(const Topology &topology,
                                             ReadBudget &budget);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_TOPOLOGYRULES_H
