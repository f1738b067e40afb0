//===- ImportSchedule.h - .sched to IR --------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TARGET_IMPORTSCHEDULE_H
#define BLINK_COMPILER_TARGET_IMPORTSCHEDULE_H

#include "schedules/schedule_generated.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace blink {

/// Rebuilds the IR that a file was exported from: a module with its topology
/// and one collective.schedule for each variant of a program. `file` must have
/// passed sched::openSchedule. exportSchedule returns the same bytes for the
/// result. Errors: sizes of 2^63 bytes and more, and schedules that the dialect
/// refuses.
mlir::OwningOpRef<mlir::ModuleOp> importSchedule(mlir::MLIRContext *context,
                                                 const sched::Schedule &file);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_IMPORTSCHEDULE_H
