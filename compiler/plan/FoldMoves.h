//===- FoldMoves.h - what folds move, with and without slots ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A fold loads its sources and stores its destinations. Where the runtime can
// reach both ranks' buffers it leaves some of that out (zero copy): a *direct*
// channel's reader just copies the chunk to its output, so the writer puts it
// there; a *borrowed* channel's writer just passes its input on, so the reader
// reads that. A fold that has nothing left to write is *passive*: it moves
// nothing, in no round of its lane. Channels that a switch joins have slots:
// to read what it adds is one load, to write what it copies one store, and the
// root stores its own input for it. runtime/plan/Plan.cpp has the same rules
// for what it replays.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_FOLDMOVES_H
#define BLINK_COMPILER_PLAN_FOLDMOVES_H

#include "compiler/plan/FoldProgram.h"
#include "compiler/plan/LaneChoice.h"

namespace blink {

/// Sets the loads and stores of every fold, each of all that its tree carries:
/// `directMoves` those with zero copy, where 0 is passive, and `slotMoves`
/// those where every channel has its slots. Only channels of kind peer join
/// buffers that both ranks can reach. Whoever makes a program calls this once.
void countMoves(FoldProgram &program);

/// How often a lane moves a chunk that it loads and stores so many times: a
/// copy, one load and one store, is one.
constexpr double movesOf(double loadsAndStores) { return loadsAndStores / 2; }

/// What a fold weighs in a lane, of the whole buffer. Words of low_latency
/// always go through slots.
FoldLoad loadOf(const FoldProgram &program, const FoldProgram::Rank &rank,
                const FoldProgram::Fold &fold, sched::Protocol protocol);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_FOLDMOVES_H
