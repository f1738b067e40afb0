//===- Command.h - what blinkc's subcommands share --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Each subcommand is one file that adds itself to the command line; its
// callback returns through CommandResult. What it prints for a person goes to
// standard output, errors to standard error.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKC_COMMAND_H
#define BLINK_TOOLS_BLINKC_COMMAND_H

#include "compiler/driver/InputFile.h"
#include "compiler/driver/Pipeline.h"
#include "compiler/report/Summary.h"
#include "compiler/verify/Verify.h"

#include "CLI/CLI.hpp"
#include "nlohmann/json.hpp"

#include <chrono>

namespace blink {

/// Exit codes.
enum : int {
  kGood = 0,
  kBadAnswer = 1, ///< verification failed, wrong data, a worse schedule
  kBadCall = 2,   ///< the call or an input file is wrong
};

void addCompileCommand(CLI::App &app, int &exitCode);
void addVerifyCommand(CLI::App &app, int &exitCode);
void addBoundCommand(CLI::App &app, int &exitCode);
void addExplainCommand(CLI::App &app, int &exitCode);
void addDiffCommand(CLI::App &app, int &exitCode);
void addExtractCommand(CLI::App &app, int &exitCode);
void addCheckCommand(CLI::App &app, int &exitCode);
void addRunCommand(CLI::App &app, int &exitCode);
void addTopoCommand(CLI::App &app, int &exitCode);

/// --collective, --gpus, --root, --links, ...: what is asked of a topology.
struct RequestFlags {
  std::string collective = "allreduce";
  std::vector<int> gpus;
  int root = 0;
  std::string links = "all";
  bool relays = false;
  std::vector<std::string> withoutLinks;
  std::vector<std::string> limitLinks;

  void addTo(CLI::App &command);
  llvm::Expected<CompileOptions> options() const;
};

/// Prints `error` to standard error ("blinkc: error: ..." unless it names a
/// place in a file by itself) and returns kBadCall.
int reportError(llvm::Error error);

/// Takes `file`, a topology or IR, through the pipeline to `last`, with errors
/// on standard error. Null on failure.
mlir::OwningOpRef<mlir::ModuleOp>
compileInput(mlir::MLIRContext *context, const InputFile &file,
             const CompileOptions &options, Phase last,
             const std::string &dumpDirectory);

/// Reads `path`, which must be a schedule, or a bundle where that is wanted,
/// too; the error says how to get one.
llvm::Expected<InputFile> readSchedule(llvm::StringRef path,
                                       bool orBundle = false);

/// The error of a command that is given a bundle and wants one schedule.
llvm::Error refuseBundle(const InputFile &file);

/// Reads `path`; a schedule is kept as it is, anything else is compiled. Links
/// are edited in a topology alone: an error otherwise.
/// Returns the bytes of a schedule that openSchedule accepts.
llvm::Expected<InputFile> readOrCompile(llvm::StringRef path,
                                        const CompileOptions &options);

/// Writes `bytes`, which openSchedule accepts, to `path` (empty: nowhere).
/// Returns them opened, for a report; null if they went to standard output,
/// where no report may go.
llvm::Expected<const sched::Schedule *>
writeSchedule(const std::string &path, const std::vector<uint8_t> &bytes);

/// JSON has no infinity: a rate without limit is null.
nlohmann::ordered_json jsonRate(double gbps);
/// The keys every report starts with.
nlohmann::ordered_json jsonSummary(const Summary &summary);
/// "  links   without gpu0:gpu3", a line for reports; empty without edits.
std::string linkEditsLine(const std::vector<LinkEdit> &edits);
/// Adds the edits of links, if there are any, as without_links and
/// limited_links.
void addLinkEdits(nlohmann::ordered_json &json,
                  const std::vector<LinkEdit> &edits);
/// "allreduce on dgx1, GPUs 0,1,2,3".
std::string title(const Summary &summary);

class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start_)
        .count();
  }

private:
  std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

} // namespace blink

#endif // BLINK_TOOLS_BLINKC_COMMAND_H
