//===- AssignDelays.h - steps that do not wait in a round -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_ASSIGNDELAYS_H
#define BLINK_COMPILER_PLAN_ASSIGNDELAYS_H

#include "compiler/plan/FoldProgram.h"

namespace blink {

/// Rounds that the readers of channels of `simple` lag.
inline constexpr int kLag = 2;

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
///
/// With a lag of 1 a chunk must come, latency and all, within the round after
/// the one that sends it, and rounds are that much longer than the links need.
/// With 2 it has a round for its latency.
void assignDelays(FoldProgram &program, llvm::ArrayRef<double> hops, int lag);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_ASSIGNDELAYS_H
