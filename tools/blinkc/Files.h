//===- Files.h - what goes into a command and out of it ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKC_FILES_H
#define BLINK_TOOLS_BLINKC_FILES_H

#include "compiler/driver/InputFile.h"
#include "compiler/driver/Pipeline.h"

namespace blink {

/// Takes `file`, a topology or IR, through the pipeline to `last`, with errors
/// on standard error. Null on failure.
mlir::OwningOpRef<mlir::ModuleOp>
compileInput(mlir::MLIRContext *context, const InputFile &file,
             const CompileOptions &options, Phase last,
             const std::string &dumpDirectory);

/// Reads `path`; a schedule is kept as it is, of a bundle the one for the
/// options' collective, GPUs and root is taken, anything else is compiled.
/// Links are edited in a topology alone: an error otherwise. Returns the bytes
/// of a schedule that openSchedule accepts.
llvm::Expected<InputFile> readOrCompile(llvm::StringRef path,
                                        const CompileOptions &options);

/// Writes `bytes`, which openSchedule accepts, to `path` (empty: nowhere).
/// Returns them opened, for a report; null if they went to standard output,
/// where no report may go.
llvm::Expected<const sched::Schedule *>
writeSchedule(const std::string &path, const std::vector<uint8_t> &bytes);

} // namespace blink

#endif // BLINK_TOOLS_BLINKC_FILES_H
