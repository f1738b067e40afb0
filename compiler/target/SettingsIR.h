//===- SettingsIR.h - compile settings in IR --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TARGET_SETTINGSIR_H
#define BLINK_COMPILER_TARGET_SETTINGSIR_H

#include "schedules/Provenance.h"

#include "mlir/IR/BuiltinOps.h"

namespace blink {

/// Records `settings` on `module`, to be stored in its file:
/// collective.options = ["collective=allreduce", "without-link=gpu0:gpu3"].
void setSettings(mlir::ModuleOp module, const sched::Settings &settings);

/// Returns what setSettings recorded, or no settings.
sched::Settings settingsOf(mlir::ModuleOp module);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_SETTINGSIR_H
