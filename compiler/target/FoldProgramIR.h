//===- FoldProgramIR.h - fold programs in IR --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Converts between collective.schedule ops and FoldProgram, which hold the same
// information.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TARGET_FOLDPROGRAMIR_H
#define BLINK_COMPILER_TARGET_FOLDPROGRAMIR_H

#include "compiler/plan/FoldProgram.h"
#include "compiler/target/TopologyIR.h"
#include "schedules/ChunkSize.h"

namespace blink {

/// Returns the program of a schedule op, with its folds in the order of the IR.
/// Errors are emitted on the op.
mlir::FailureOr<FoldProgram> readProgram(collective::ScheduleOp schedule);
/// Does the same with a topology that has already been read.
mlir::FailureOr<FoldProgram> readProgram(collective::ScheduleOp schedule,
                                         const TopologyFromIR &machine);

/// Checks that passes have chosen the chunk sizes of a schedule op, and the
/// lane of each fold. Errors are emitted on the ops that lack them.
mlir::LogicalResult checkComplete(collective::ScheduleOp schedule);

/// Returns the protocol of a schedule op, which has no attribute for simple.
sched::Protocol protocolOf(collective::ScheduleOp schedule);
/// Returns the chunk sizes of a schedule op after collective-tune-chunks.
sched::ChunkSizes chunksOf(collective::ScheduleOp schedule);
/// Sets the chunk sizes of a schedule op. Default values get no attribute.
void setChunks(collective::ScheduleOp schedule, sched::ChunkSizes chunks);

/// Moves the loose folds of `schedule` into the lanes that `program`, which was
/// read from it, has been given.
void writeLanes(collective::ScheduleOp schedule, const FoldProgram &program);

/// Builds a schedule op before `forest` with the forest's problem, rate, proof
/// and sizes, whose body is `program`. `names` are the symbols of its trees; if
/// empty, they are t0, t1, ...
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
