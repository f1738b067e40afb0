//===- main.cpp - blinkc --------------------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/manual/ManPage.h"

int main(int argc, char **argv) {
  CLI::App app{"blinkc compiles, verifies, explains and replays schedules for "
               "collective communication"};
  app.name("blinkc");
  app.set_version_flag("--version", "blinkc " BLINK_VERSION_STRING);
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
  blink::manual::addManPages(app, "blinkc " BLINK_VERSION_STRING);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? blink::kGood : blink::kBadCall;
  }
  return exitCode;
}
