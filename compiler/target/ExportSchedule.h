//===- ExportSchedule.h - IR to .sched --------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TARGET_EXPORTSCHEDULE_H
#define BLINK_COMPILER_TARGET_EXPORTSCHEDULE_H

#include "dialect/Collective.h"

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace blink {

/// The schedules of a module by program: those of one collective, root and
/// allocation are the variants of one. Programs stand in the order of their
/// first variants. Errors, on the schedule at fault: one that states another
/// rate, bound, price or relay than the first of its program; sizes that do not
/// begin where the variant before ends, or do not end without a limit.
mlir::FailureOr<std::vector<std::vector<collective::ScheduleOp>>>
groupVariants(mlir::ModuleOp module);

/// Serialises every collective.schedule of `module`, grouped by program, to the
/// bytes of one .sched file, in full. All must be of one topology, use the same
/// link kinds, have chunk_bytes and lanes; else errors are emitted on the op at
/// fault, as they are by groupVariants. The bytes depend on the IR alone and
/// have passed sched::openSchedule.
mlir::FailureOr<std::vector<uint8_t>> exportSchedule(mlir::ModuleOp module);
/// Likewise, but what is in symmetric form stays in it (Variant.symmetric in
/// schedules/schedule.fbs): the bytes have passed sched::openAnySchedule.
mlir::FailureOr<std::vector<uint8_t>> exportAsIs(mlir::ModuleOp module);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_EXPORTSCHEDULE_H
