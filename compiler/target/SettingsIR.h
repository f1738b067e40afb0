//===- SettingsIR.h - how a schedule is made, on its module -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TARGET_SETTINGSIR_H
#define BLINK_COMPILER_TARGET_SETTINGSIR_H

#include "schedules/Provenance.h"

#include "mlir/IR/BuiltinOps.h"

namespace blink {

/// Records `settings` on `module`, for its file:
/// collective.options = ["collective=allreduce", "without-link=gpu0:gpu3"].
void setSettings(mlir::ModuleOp module, const sched::Settings &settings);

/// What setSettings recorded, or nothing. Errors, on `module`: an attribute of
/// that name that a user wrote and that is no list of "name=value".
mlir::FailureOr<sched::Settings> settingsOf(mlir::ModuleOp module);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_SETTINGSIR_H
