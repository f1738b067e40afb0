//===- ScheduleTopology.h - the topology inside a .sched --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TARGET_SCHEDULETOPOLOGY_H
#define BLINK_COMPILER_TARGET_SCHEDULETOPOLOGY_H

#include "compiler/topology/Topology.h"

namespace blink {

/// The topology a schedule was made for, as the compiler's own graph. `file`
/// must have passed sched::openSchedule.
Topology topologyOf(const sched::Schedule &file);

flatbuffers::Offset<sched::Topology>
writeTopology(flatbuffers::FlatBufferBuilder &builder,
              const Topology &topology);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_SCHEDULETOPOLOGY_H
