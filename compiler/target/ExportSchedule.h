//===- ExportSchedule.h - IR to .sched --------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TARGET_EXPORTSCHEDULE_H
#define BLINK_COMPILER_TARGET_EXPORTSCHEDULE_H

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace blink {

/// The discardable attribute of a module that holds the options a file records.
inline constexpr llvm::StringLiteral kOptionsAttrName = "collective.options";

/// Serialises every collective.schedule of `module`, in order, to the bytes of
/// one .sched file. All must be of one topology, use the same link kinds, have
/// chunk_bytes and lanes; else errors are emitted on the op at fault. The bytes
/// depend on the IR alone and have passed sched::openSchedule.
mlir::FailureOr<std::vector<uint8_t>> exportSchedule(mlir::ModuleOp module);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_EXPORTSCHEDULE_H
