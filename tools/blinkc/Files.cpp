//===- Files.cpp - inputs and outputs of commands -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Files.h"

#include "tools/blinkc/Command.h"
#include "tools/blinkc/Progress.h"

#include "compiler/driver/ExtractSchedule.h"
#include "compiler/driver/InputModule.h"
#include "compiler/driver/OutputFile.h"
#include "compiler/target/ExportSchedule.h"
#include "schedules/ScheduleFile.h"
#include "schedules/WholeFile.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace blink;

mlir::OwningOpRef<mlir::ModuleOp>
blink::compileInput(mlir::MLIRContext *context, const InputFile &file,
                    const CompileOptions &options, Phase last,
                    const std::string &dumpDirectory,
                    llvm::function_ref<llvm::Error(mlir::ModuleOp)> check) {
  llvm::SourceMgr sources;
  std::optional<mlir::SourceMgrDiagnosticHandler> placed;
  std::optional<mlir::ScopedDiagnosticHandler> plain;
  // Errors in IR have places to show; errors about a compiled topology have
  // none.
  if (file.kind == InputKind::ir)
    placed.emplace(sources, context);
  else
    plain.emplace(context, [&](mlir::Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
        llvm::errs() << "blinkc: error: " << file.path << ": "
                     << diagnostic.str() << "\n";
    });
  Progress progress(options.timeLimit);
  progress.begin(file.path, file.bytes.size());
  auto module = readModule(context, file, options, sources);
  if (!module)
    reportError(module.takeError());
  if (!module || !*module)
    return nullptr;
  if (check)
    if (llvm::Error error = check(**module)) {
      reportError(std::move(error));
      return nullptr;
    }
  if (!dumpDirectory.empty())
    if (std::error_code error =
            llvm::sys::fs::create_directories(dumpDirectory)) {
      reportError(
          makeError("{0}: cannot create: {1}", dumpDirectory, error.message()));
      return nullptr;
    }
  auto afterPhase = [&](Phase phase, mlir::ModuleOp ir) {
    if (phase == Phase::forest)
      progress.say("making folds");
    else if (phase == Phase::folds)
      progress.say("assigning lanes, verifying");
    return dumpDirectory.empty() ? llvm::Error::success()
                                 : dumpPhase(dumpDirectory, phase, ir);
  };
  bool failed = mlir::failed(
      runPipeline(**module, options, last, progress.watcher(), afterPhase));
  if (progress.stopped())
    llvm::errs() << "blinkc: note: " << file.path
                 << ": the time limit ended the search; the rate may be below "
                    "what is possible\n";
  if (failed)
    return nullptr;
  return std::move(*module);
}

llvm::Error blink::readsOnce(llvm::ArrayRef<std::string> paths) {
  if (llvm::count(paths, "-") < 2)
    return llvm::Error::success();
  return makeError("-: standard input can be only one of the files; write the "
                   "others to files");
}

llvm::Error blink::checkOutput(const std::string &input,
                               const std::string &output) {
  if (output.empty() || output == "-")
    return llvm::Error::success();
  std::string target;
  if (const int error = sched::whyNotWritable(output, target))
    return makeError("{0}", sched::cannotWrite(output, target, error));
  if (input == "-" || !llvm::sys::fs::exists(input) ||
      !sched::areSameFile(input, output))
    return llvm::Error::success();
  return makeError("{0}: is the input, which would be replaced; write the "
                   "output to another file",
                   output);
}

llvm::Expected<InputFile> blink::readOrCompile(llvm::StringRef path,
                                               const CompileOptions &options) {
  llvm::Expected<InputFile> file = readInput(path);
  return file ? scheduleOf(std::move(*file), options) : std::move(file);
}

llvm::Expected<InputFile> blink::scheduleOf(InputFile file,
                                            const CompileOptions &options) {
  // Edits apply to a topology only. To ignore them for a schedule, whose links
  // are fixed, would answer for a different machine.
  if (file.kind != InputKind::topology && !options.linkEdits.empty())
    return makeError(
        "{0}: {1} is not a topology: its links are those it was made "
        "for; give the topology instead",
        options.linkEdits.front().place, file.path);
  if (file.kind == InputKind::schedule)
    return file;
  if (file.kind == InputKind::bundle)
    return extractSchedule(
        file, {options.collective, options.gpus, options.root, ""});
  auto refused = [] { return makeError("no schedule could be compiled"); };
  std::unique_ptr<mlir::MLIRContext> context = createContext();
  auto module = compileInput(context.get(), file, options, Phase::sched, "",
                             /*check=*/nullptr);
  if (!module)
    return refused();
  auto bytes = exportSchedule(*module);
  if (failed(bytes))
    return refused();
  return InputFile{file.path, InputKind::schedule, std::move(*bytes)};
}

llvm::Expected<const sched::Schedule *>
blink::writeSchedule(const std::string &path,
                     const std::vector<uint8_t> &bytes) {
  if (!path.empty())
    if (llvm::Error error = writeFile(path, llvm::toStringRef(bytes)))
      return error;
  if (isStandardOutput(path))
    return nullptr;
  std::string error;
  const sched::Schedule *file =
      sched::openSchedule(bytes.data(), bytes.size(), error);
  if (!file)
    return makeError("{0}: {1}", path, error);
  return file;
}
