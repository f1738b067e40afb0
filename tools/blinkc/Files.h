//===- Files.h - inputs and outputs of commands -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKC_FILES_H
#define BLINK_TOOLS_BLINKC_FILES_H

#include "compiler/driver/InputFile.h"
#include "compiler/driver/Pipeline.h"

namespace blink {

/// Takes `file`, a topology or IR, through the pipeline up to `last`; prints
/// errors to standard error. `check` may refuse the module that was read.
/// Returns null on failure.
mlir::OwningOpRef<mlir::ModuleOp>
compileInput(mlir::MLIRContext *context, const InputFile &file,
             const CompileOptions &options, Phase last,
             const std::string &dumpDirectory,
             llvm::function_ref<llvm::Error(mlir::ModuleOp)> check);

/// Returns an error if more than one of `paths` is `-`: standard input can be
/// read only once, and what is read second would look empty.
llvm::Error readsOnce(llvm::ArrayRef<std::string> paths);

/// Returns an error if `output` cannot be written, so that this is not noticed
/// only after minutes of work, or if it would replace the file `input`. Empty
/// (no output) and `-` are good.
llvm::Error checkOutput(const std::string &input, const std::string &output);

/// Reads `path`. A schedule stays as it is; from a bundle it takes the one for
/// the options' collective, GPUs and root; any other input is compiled. Edits
/// of links apply to a topology only and are an error otherwise. Returns the
/// bytes of a schedule that openSchedule accepts.
llvm::Expected<InputFile> readOrCompile(llvm::StringRef path,
                                        const CompileOptions &options);
/// The same for a file that has been read.
llvm::Expected<InputFile> scheduleOf(InputFile file,
                                     const CompileOptions &options);

/// Writes `bytes`, which openSchedule accepts, to `path` (empty: nowhere).
/// Returns them opened, for a report; null if they went to standard output,
/// where a report would corrupt them.
llvm::Expected<const sched::Schedule *>
writeSchedule(const std::string &path, const std::vector<uint8_t> &bytes);

} // namespace blink

#endif // BLINK_TOOLS_BLINKC_FILES_H
