//===- InputModule.h - a user's input as IR ---------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// From what a user hands to the compiler to a module for its pipeline, and the
// IR between phases to files.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_DRIVER_INPUTMODULE_H
#define BLINK_COMPILER_DRIVER_INPUTMODULE_H

#include "compiler/driver/InputFile.h"
#include "compiler/driver/Pipeline.h"

namespace llvm {
class SourceMgr;
}

namespace blink {

/// The module that `file` stands for: of a topology the request that `options`
/// make of it, IR parsed, a schedule's IR. IR is kept in `sources`, for
/// diagnostics to point at. Null, where a diagnostic has said what is wrong.
/// Errors: those of parseTopology, buildRequest, checkIrText and openSchedule;
/// a bundle.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
readModule(mlir::MLIRContext *context, const InputFile &file,
           const CompileOptions &options, llvm::SourceMgr &sources);

/// Writes `module` as it is after `phase` to a file of the folder, which
/// exists: "DIRECTORY/2-forest.mlir".
llvm::Error dumpPhase(llvm::StringRef directory, Phase phase,
                      mlir::ModuleOp module);

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_INPUTMODULE_H
