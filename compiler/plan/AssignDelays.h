//===- AssignDelays.h - steps that do not wait in a round -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_ASSIGNDELAYS_H
#define BLINK_COMPILER_PLAN_ASSIGNDELAYS_H

#include "compiler/plan/FoldProgram.h"

namespace blink {

/// The lag of small messages between servers: their rounds take no longer than
/// latencies.
inline constexpr int kSmallLag = 2;

/// Says by how many rounds each fold lags (schedule.fbs), so that it takes what
/// others made a round before: lanes run their folds in order, and in one round
/// a fold that waits for another lane's makes those behind it wait, too. This
/// is software pipelining (Lam, 1988) with a stage for each hop of the data.
///
/// A fold lags `lag` rounds behind those it reads from; those before it no more
/// than that, so that a channel has `lag` chunks more on its way than without.
/// In a tree of height h the fold up at depth d lags h - d times that, the root
/// h, and the fold down at depth d h + d. Where data takes ways of different
/// length to one fold no such delays exist, and no fold lags. `hops`:
/// readyTimes of all folds in channels (Latency.h).
void assignDelays(FoldProgram &program, llvm::ArrayRef<double> hops, int lag);

/// The lag, 1 or 2, of `program`, whose folds lag by 1 and are in order in
/// lanes: 1 if latencies of links make no round of `simple` a hundredth longer
/// then, in chunks of so many bytes. Pipelines take half as many rounds to fill
/// as with 2.
///
/// A round is what a channel needs for a chunk, T, and its reader has it L
/// later. In a lane folds stand in the order of their delays. Whoever waits in
/// a circle for himself, over h channels, goes back to smaller delays only
/// where a lane begins its next round, w times. With a lag of 1 the circle
/// takes h + w rounds, and h (T + L). Each beginning makes up for at most the H
/// hops that data takes, so H L <= T suffices. With a lag of 2 it takes 2 h + w
/// rounds, and L <= T suffices.
int leastLag(const FoldProgram &program, uint32_t chunkBytes);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_ASSIGNDELAYS_H
