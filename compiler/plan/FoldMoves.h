//===- FoldMoves.h - what folds move, with and without slots ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A fold loads its sources and stores its destinations. If the runtime can
// reach both ranks' buffers, it omits some of these moves (zero copy). The
// reader of a *direct* channel only copies the chunk to its output, so the
// writer stores the chunk there itself. The writer of a *borrowed* channel only
// passes its input on, so the reader loads from that input. A fold that has
// nothing left to write is *passive*: it moves nothing, in any round of its
// lane. Channels that a switch joins have slots: reading what the switch adds
// is one load, writing what it copies is one store, and the root stores its own
// input for the switch. runtime/plan/Plan.cpp has the same rules for what it
// replays.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_FOLDMOVES_H
#define BLINK_COMPILER_PLAN_FOLDMOVES_H

#include "compiler/plan/FoldProgram.h"
#include "compiler/plan/LaneChoice.h"

namespace blink {

/// Sets the loads and stores of every fold, in units of what its tree carries:
/// `directMoves` with zero copy, where 0 means passive, and `slotMoves` where
/// every channel goes through its slots. Only channels of kind peer join
/// buffers that both ranks can reach. Code that makes a program calls this
/// once.
void countMoves(FoldProgram &program);

/// Returns how many times a lane moves a chunk that it loads and stores
/// `loadsAndStores` times in all: a copy, one load and one store, is one move.
constexpr double movesOf(double loadsAndStores) { return loadsAndStores / 2; }

/// Returns the load of a fold in its lane, as parts of the whole buffer. Words
/// of low_latency always go through slots.
FoldLoad loadOf(const FoldProgram &program, const FoldProgram::Rank &rank,
                const FoldProgram::Fold &fold, sched::Protocol protocol);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_FOLDMOVES_H
