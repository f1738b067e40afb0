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

/// Groups the schedules of a module by program: the schedules of one
/// collective, root and allocation are the variants of one program. Programs
/// are in the order of their first variants. Errors, on the schedule at fault:
/// a schedule that states another rate, bound, price or relay than the first of
/// its program; sizes that do not begin where the previous variant ends, or
/// whose last variant has a limit.
mlir::FailureOr<std::vector<std::vector<collective::ScheduleOp>>>
groupVariants(mlir::ModuleOp module);

/// Serialises every collective.schedule of `module`, grouped by program, to the
/// bytes of one .sched file in full form. All schedules must be for one
/// topology, use the same link kinds, and have chunk_bytes and lanes. Errors
/// are emitted on the op at fault, as by groupVariants. The bytes depend on the
/// IR only and have passed sched::openSchedule.
mlir::FailureOr<std::vector<uint8_t>> exportSchedule(mlir::ModuleOp module);
/// Does the same, but leaves variants in symmetric form as they are
/// (Variant.symmetric in schedules/schedule.fbs): the bytes have passed
/// sched::openAnySchedule.
mlir::FailureOr<std::vector<uint8_t>> exportAsIs(mlir::ModuleOp module);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_EXPORTSCHEDULE_H
