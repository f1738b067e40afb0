//===- AssignLanes.h - lanes for loose folds --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_ASSIGNLANES_H
#define BLINK_COMPILER_PLAN_ASSIGNLANES_H

#include "compiler/plan/FoldProgram.h"
#include "compiler/plan/TimeModel.h"

#include <optional>

namespace blink {

/// Puts the loose folds of each rank that has no lanes yet into at most
/// `maxLanes` (at least 1). Which folds share one says LaneChoice.h.
///
/// Where no rank has lanes yet, delays are assigned, too (AssignDelays.h). In a
/// lane folds stand in the order of their delays, and of equal ones in that of
/// the hops that data makes before them: up folds (towards a root) before roots
/// before the others, leaves before what waits for them. In tree order rank 1
/// could start its own tree only after rank 0's has arrived, rank 2 only after
/// rank 1's, and so on.
///
/// Over a network lanes that begin with what a rank contributes stand in the
/// order of the ranks that they send to, those after its own first: so not all
/// ranks begin with the same one.
///
/// In a sendrecv each tree has a lane, however many these are: a message waits
/// for nothing but its other end, so nothing may stand before it.
///
/// `trees`: treeTimes of `program` with `simple`, where they are known.
void assignLanes(FoldProgram &program, sched::Protocol protocol,
                 unsigned maxLanes, const TreeTimes *trees = nullptr);

/// As far as it matters to how long messages take, but not in a sendrecv: folds
/// of a lane are in any order, and nothing lags. Gives back what timeOfLarge
/// says of it, where that had to be found anyway.
std::optional<MessageTime> fillLanes(FoldProgram &program,
                                     sched::Protocol protocol,
                                     unsigned maxLanes, const TreeTimes &trees);

/// As assignLanes where no rank has lanes yet, for `simple` and small messages:
/// lanes share the time that folds of no bytes take, messages included.
void assignSmallLanes(FoldProgram &program, unsigned maxLanes);

/// Puts the folds of each lane of `rank` in order, as above. `hops`: readyTimes
/// in channels (Latency.h), from the rank's first fold on.
void sortLanes(FoldProgram::Rank &rank, llvm::ArrayRef<double> hops);

/// Puts the folds of each rank that has no lanes yet, if they follow each other
/// and are of one tree, into a lane, in the order they have. Nothing lags.
void assignLanePerTree(FoldProgram &program);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_ASSIGNLANES_H
