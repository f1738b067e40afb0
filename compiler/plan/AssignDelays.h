//===- AssignDelays.h - delays that keep folds from waiting -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_ASSIGNDELAYS_H
#define BLINK_COMPILER_PLAN_ASSIGNDELAYS_H

#include "compiler/plan/FoldProgram.h"

namespace blink {

/// The lag for small messages between servers, whose rounds take no longer than
/// the latencies.
inline constexpr int kSmallLag = 2;

/// Sets the delay of each fold (schedule.fbs): the number of rounds that it
/// lags, so that it takes what other lanes made in an earlier round. Without
/// delays, a fold that waits in a round for another lane's fold would also hold
/// up the folds behind it, since lanes run their folds in order. This is
/// software pipelining (Lam, 1988) with a stage for each hop of the data.
///
/// A fold lags exactly `lag` rounds behind the folds that it reads from, so a
/// channel has `lag` chunks more on its way than without delays. In a tree of
/// height h the up fold at depth d lags h - d times `lag`, the root h times,
/// and the down fold at depth d h + d times. No such delays exist if data
/// reaches a fold over ways of different length; then no fold lags. `hops`
/// holds the readyTimes of all folds, counted in channels (Latency.h).
void assignDelays(FoldProgram &program, llvm::ArrayRef<double> hops, int lag);

/// Returns the lag, 1 or 2, that `program` needs, whose folds lag by 1 and are
/// in order in their lanes: 1 if the latencies of links then lengthen no round
/// of `simple` with chunks of `chunkBytes` by more than 1 %. With a lag of 1
/// pipelines take half as many rounds to fill as with 2.
///
/// Why: a channel needs a time T for a chunk, which is a round, and its reader
/// has the chunk L later. Folds stand in a lane in the order of their delays.
/// Take a circle of waits over h channels. It returns to smaller delays only
/// where a lane begins its next round; let this happen w times. With a lag of 1
/// the circle spans h + w rounds and takes h (T + L). Each beginning makes up
/// for at most the H hops that data takes, so h <= w H, and H L <= T suffices.
/// With a lag of 2 it spans 2 h + w rounds, and L <= T suffices.
int leastLag(const FoldProgram &program, uint32_t chunkBytes);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_ASSIGNDELAYS_H
