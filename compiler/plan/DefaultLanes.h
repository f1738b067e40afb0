//===- DefaultLanes.h - how many lanes a rank may have ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_DEFAULTLANES_H
#define BLINK_COMPILER_PLAN_DEFAULTLANES_H

#include "compiler/plan/TimeModel.h"
#include "compiler/topology/fabric/RankTopology.h"

#include "llvm/ADT/ArrayRef.h"

namespace blink {

/// Returns the most lanes of a rank if nobody asks for a number: 16, or 32 if
/// over nvlink, xgmi and c2c (isPeerLink) some GPU of the job has more than 500
/// GB/s in one direction to the job's other GPUs or to switches. Where data is
/// forwarded or reduced as well as kept, 16 lanes would move less than that.
/// `gpus` lists the GPU number of each rank.
unsigned defaultLanes(const Topology &topology, llvm::ArrayRef<int> gpus,
                      LinkKindSet kinds);

/// Returns the limits of a schedule if nobody asks for others.
inline ScheduleLimits defaultLimits(const RankTopology &rankTopology) {
  return {defaultLanes(rankTopology.topology(), rankTopology.gpus(),
                       rankTopology.linkKinds())};
}

} // namespace blink

#endif // BLINK_COMPILER_PLAN_DEFAULTLANES_H
