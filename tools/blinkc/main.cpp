//===- main.cpp - blinkc --------------------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/support/Error.h"
#include "tools/blinkc/Command.h"
#include "tools/manual/Checks.h"
#include "tools/manual/ManPage.h"

#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <iostream>
#include <new>

/// Returns `exitCode`, or prints an error and returns its exit code if standard
/// output could not be written. Without this check, LLVM would end the process
/// itself, with the exit code of a negative result, and CLI11 would report no
/// error.
static int finish(int exitCode) {
  errno = 0;
  std::cout.flush();
  std::error_code error;
  if (!std::cout)
    error = std::error_code(errno ? errno : EIO, std::generic_category());
  llvm::outs().flush();
  if (llvm::outs().has_error())
    error = llvm::outs().error();
  llvm::outs().clear_error();
  if (error)
    exitCode = blink::reportError(blink::makeError(
        "standard output: cannot write: {0}", error.message()));
  llvm::errs().clear_error(); // it could not be reported anywhere
  return exitCode;
}

/// Returns the text of a wrong call's error, in the form of all other errors,
/// with a hint at the help of the command that was called.
static std::string describeBadCall(const CLI::App *app,
                                   const CLI::Error &error) {
  std::string command = app->get_name();
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().front();
    command += " " + app->get_name();
  }
  std::string what = error.what();
  const std::vector<std::string> left = app->remaining();
  if (app->get_require_subcommand_min() > 0 && !left.empty())
    what = "there is no " +
           std::string(left.front()[0] == '-' ? "option" : "command") + " '" +
           left.front() + "'";
  return "blinkc: error: " + what + "; " + command +
         " --help lists what there is\n";
}

int main(int argc, char **argv) {
  CLI::App app{"blinkc compiles, verifies, explains and replays schedules for "
               "collective communication"};
  app.name("blinkc");
  app.set_version_flag("--version", "blinkc " BLINK_VERSION_STRING);
  app.failure_message(describeBadCall);
  app.require_subcommand(1);
  app.footer("A first session:\n"
             "  blinkc compile dgx1.topo -o allreduce.sched\n"
             "  blinkc verify  allreduce.sched\n"
             "  blinkc run     allreduce.sched --bytes 64M\n"
             "Options of a command: blinkc compile --help\n"
             "Exit code: 0 success, 1 a negative result, 2 an invalid command "
             "line or file.");
  int exitCode = blink::kGood;
  for (auto *add :
       {blink::addCompileCommand, blink::addVerifyCommand,
        blink::addBoundCommand, blink::addExplainCommand, blink::addDiffCommand,
        blink::addCheckCommand, blink::addReportCommand, blink::addRunCommand,
        blink::addSimulateCommand, blink::addTraceCommand,
        blink::addExtractCommand, blink::addExpandCommand,
        blink::addImportCommand, blink::addExportCommand,
        blink::addProbeCommand, blink::addTopoCommand,
        blink::addCompletionCommand})
    add(app, exitCode);
  blink::manual::refuseEmptyNames(app);
  blink::manual::refuseOtherBases(app);
  blink::manual::addManPages(app, "blinkc " BLINK_VERSION_STRING);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    exitCode = app.exit(error) == 0 ? blink::kGood : blink::kBadCall;
  } catch (const std::bad_alloc &) { // mostly for the data that run replays
    exitCode = blink::reportError(
        blink::makeError("out of memory: ask for less, as by --bytes"));
  }
  return finish(exitCode);
}
