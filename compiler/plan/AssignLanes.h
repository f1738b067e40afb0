//===- AssignLanes.h - lanes for loose folds --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_ASSIGNLANES_H
#define BLINK_COMPILER_PLAN_ASSIGNLANES_H

#include "compiler/plan/FoldProgram.h"
#include "compiler/plan/TimeModel.h"
#include "schedules/Collectives.h"

#include <optional>

namespace blink {

/// Returns true if directions may mix whenever the model of time plans lanes of
/// this collective: if it is routed and has no root, so that each rank has
/// about as much to do in both, and the best parts depend on it.
constexpr bool mixesDirections(Collective collective) {
  return isRouted(collective) && !isRooted(collective);
}

/// Puts the loose folds of each rank that has no lanes yet into at most
/// `maxLanes` lanes (at least 1). LaneChoice.h says which folds share a lane.
/// If directions `mayMix`, they do if long messages take 2 % less then, by the
/// model of time. The model does not know that lanes with folds of both
/// directions may wait more.
///
/// If no rank has lanes yet, delays are assigned, too (AssignDelays.h). The
/// folds of a lane stand in the order of their delays, and folds of equal delay
/// in the order of the hops that data makes before it reaches them: up folds
/// (towards a root) come before roots and roots before the others, leaves
/// before the folds that wait for them. In tree order, by contrast, rank 1
/// could start its own tree only after rank 0's has arrived, rank 2 only after
/// rank 1's, and so on. Folds that are equal in this stand by the
/// `places` of their trees (TreeOrder.h), or as given if there are none.
///
/// Over a network, lanes that begin with a rank's own contribution are ordered
/// by the rank that they send to, counted from the rank's own number on, so
/// that not all ranks begin by sending to the same one.
///
/// In a sendrecv each tree gets a lane of its own, even beyond `maxLanes`: a
/// message waits for nothing but its other end, so no fold may stand before it.
void assignLanes(FoldProgram &program, sched::Protocol protocol,
                 unsigned maxLanes, llvm::ArrayRef<int> places = {},
                 bool mayMix = false);

/// Assigns lanes as assignLanes does, but only as far as they matter to how
/// long messages take: the folds of a lane are in any order, and none lags.
/// mixesDirections says whether directions may mix. Not for a sendrecv. `trees`
/// holds the treeTimes of `program` with `simple`. Returns the result of
/// timeOfLarge if it had to be computed.
std::optional<MessageTime> fillLanes(FoldProgram &program,
                                     sched::Protocol protocol,
                                     unsigned maxLanes, const TreeTimes &trees);

/// Assigns lanes as assignLanes does where no rank has lanes yet, but for
/// `simple` and small messages: lanes share evenly the time that folds take for
/// no bytes, messages between servers included.
void assignSmallLanes(FoldProgram &program, unsigned maxLanes);

/// Puts the folds of each lane of `rank` in the order described at assignLanes.
/// `hops` holds readyTimes in channels (Latency.h), starting with the rank's
/// first fold.
void sortLanes(FoldProgram::Rank &rank, llvm::ArrayRef<double> hops);

/// On each rank that has no lanes yet, puts each run of consecutive folds of
/// one tree into a lane and keeps their order. No fold lags.
void assignLanePerTree(FoldProgram &program);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_ASSIGNLANES_H
