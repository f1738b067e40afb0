//===- ScheduleTopology.h - the topology of a .sched file -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TARGET_SCHEDULETOPOLOGY_H
#define BLINK_COMPILER_TARGET_SCHEDULETOPOLOGY_H

#include "compiler/topology/Topology.h"
#include "compiler/topology/fabric/RankTopology.h"

namespace blink {

/// Returns the topology that a schedule was made for as a Topology of the
/// compiler. `file` must have passed sched::openSchedule.
Topology topologyOf(const sched::Schedule &file);

/// Returns the topology with the ranks of `program`, which has no relays.
/// Errors: those of RankTopology::create.
llvm::Expected<RankTopology> rankTopologyOf(const sched::Schedule &file,
                                            const sched::Program &program);

flatbuffers::Offset<sched::Topology>
writeTopology(flatbuffers::FlatBufferBuilder &builder,
              const Topology &topology);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_SCHEDULETOPOLOGY_H
