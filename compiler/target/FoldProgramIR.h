//===- FoldProgramIR.h - fold programs in IR --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A collective.schedule op holds what FoldProgram says. Here one becomes the
// other.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TARGET_FOLDPROGRAMIR_H
#define BLINK_COMPILER_TARGET_FOLDPROGRAMIR_H

#include "compiler/plan/FoldProgram.h"
#include "compiler/target/TopologyIR.h"
#include "schedules/ChunkSize.h"

namespace blink {

/// The program of a schedule op, its folds in the order in which they stand.
/// Errors are emitted on the op.
mlir::FailureOr<FoldProgram> readProgram(collective::ScheduleOp schedule);
/// The same where its topology has been read.
mlir::FailureOr<FoldProgram> readProgram(collective::ScheduleOp schedule,
                                         const TopologyFromIR &machine);

/// The chunks of a schedule op that collective-tune-chunks has seen.
sched::ChunkSizes chunksOf(collective::ScheduleOp schedule);
/// What is usual of them needs no words.
void setChunks(collective::ScheduleOp schedule, sched::ChunkSizes chunks);

/// Puts the loose folds of `schedule` into the lanes that `program`, which was
/// read from it, has got.
void writeLanes(collective::ScheduleOp schedule, const FoldProgram &program);

/// A schedule op before `forest`, of its problem, rate, proof and sizes, which
/// does what `program` says. `names` are the symbols of its trees; if empty, t0
/// and so on.
collective::ScheduleOp buildSchedule(collective::ForestOp forest,
                                     const TopologyFromIR &machine,
                                     const FoldProgram &program,
                                     llvm::ArrayRef<std::string> names = {});

/// Fills the body of an empty schedule op.
void fillSchedule(collective::ScheduleOp schedule,
                  const TopologyFromIR &machine, const FoldProgram &program,
                  llvm::ArrayRef<std::string> names = {});

} // namespace blink

#endif // BLINK_COMPILER_TARGET_FOLDPROGRAMIR_H
