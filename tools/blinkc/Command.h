//===- Command.h - the subcommands of blinkc --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Each subcommand is a file that adds itself to the command line; its callback
// returns through an exit code. Output for people goes to standard output,
// errors go to standard error.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKC_COMMAND_H
#define BLINK_TOOLS_BLINKC_COMMAND_H

#include "compiler/support/Error.h"

#include "CLI/CLI.hpp"

#include <memory>

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
void addExpandCommand(CLI::App &app, int &exitCode);
void addCheckCommand(CLI::App &app, int &exitCode);
void addReportCommand(CLI::App &app, int &exitCode);
void addRunCommand(CLI::App &app, int &exitCode);
void addSimulateCommand(CLI::App &app, int &exitCode);
void addImportCommand(CLI::App &app, int &exitCode);
void addExportCommand(CLI::App &app, int &exitCode);
void addProbeCommand(CLI::App &app, int &exitCode);
void addTopoCommand(CLI::App &app, int &exitCode);
void addTraceCommand(CLI::App &app, int &exitCode);
void addCompletionCommand(CLI::App &app, int &exitCode);
void addTopoListCommand(CLI::App &topo, int &exitCode); ///< within topo

/// Adds the command `name`. `run` executes it: it receives the flags and
/// returns an exit code. Returns the command and its flags, for adding options.
template <typename Flags>
std::pair<CLI::App &, Flags &> addCommand(CLI::App &app, int &exitCode,
                                          const char *name, const char *help,
                                          int (*run)(const Flags &)) {
  auto flags = std::make_shared<Flags>();
  CLI::App *command = app.add_subcommand(name, help);
  command->callback([=, &exitCode] { exitCode = run(*flags); });
  return {*command, *flags};
}

/// Prints `error` to standard error, with "blinkc: error: ..." unless it names
/// a place in a file, and returns kBadCall.
int reportError(llvm::Error error);

} // namespace blink

#endif // BLINK_TOOLS_BLINKC_COMMAND_H
