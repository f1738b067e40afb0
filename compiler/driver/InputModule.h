//===- InputModule.h - a user's input as IR ---------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Turns a user's input into a module for the pipeline, and writes the IR
// between phases to files.
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

/// Returns the module for `file`: the request that `options` make of a
/// topology, the parsed IR, or the IR of a schedule. IR text is kept in
/// `sources`, where diagnostics point to. Returns null if a diagnostic has
/// reported an error. Errors: those of parseTopology, buildRequest, checkIrText
/// and openSchedule; a bundle.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
readModule(mlir::MLIRContext *context, const InputFile &file,
           const CompileOptions &options, llvm::SourceMgr &sources);

/// What a module leaves to the passes: choices that options can affect.
struct OpenChoices {
  bool trees;  ///< There is a request.
  bool lanes;  ///< Some folds have no lanes yet.
  bool chunks; ///< Some schedule has no chunk size yet.
};
OpenChoices openChoices(mlir::ModuleOp module);

/// Writes `module` as it is after `phase` to a file in an existing folder:
/// "DIRECTORY/2-forest.mlir".
llvm::Error dumpPhase(llvm::StringRef directory, Phase phase,
                      mlir::ModuleOp module);

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_INPUTMODULE_H
