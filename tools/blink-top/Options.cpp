//===- Options.cpp - the command line of blink-top ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-top/Options.h"

#include "tools/manual/Checks.h"
#include "tools/manual/Completion.h"
#include "tools/manual/ManPage.h"

#include "CLI/CLI.hpp"

#include <unistd.h>

namespace blink::top {

bool parseOptions(int argc, char **argv, Options &options) {
  CLI::App app{"blink-top shows what the ranks of this user's jobs on this "
               "machine are doing,\nwhich ranks wait for which, and which "
               "rank is the cause. It only reads the\nstates that ranks record "
               "in shared memory, so ranks may hang, be stopped or be\ndead."};
  app.name("blink-top");
  app.set_version_flag("--version", "blink-top " BLINK_VERSION_STRING);
  bool all = false;
  auto *process =
      app.add_option("PID", options.process,
                     "Show only jobs of which this process runs ranks")
          ->check(CLI::Range(uint64_t(1), uint64_t(1) << 32))
          ->type_name("");
  app.add_flag("-a,--all", all,
               "Show all jobs of this user; the default without PID")
      ->excludes(process);
  app.add_flag("-J,--json", options.json,
               "Print a JSON list of pictures, one for each job, and exit");
  app.add_flag("--history", options.history,
               "With --json: also print the last 1,024 finished calls of each "
               "rank");
  app.add_flag("-1,--once", options.once,
               "Print once and exit; the default if standard output is not a "
               "terminal");
  app.add_option("-d,--delay", options.seconds, "Seconds between two refreshes")
      ->check(manual::RealRange(0.1, 3600.0))
      ->type_name("SECONDS")
      ->capture_default_str();
  const auto complete = [&app](const std::string &shell) {
    throw CLI::CallForVersion(
        manual::toCompletion(shell, manual::readUsage(app), {}), 0);
  };
  app.add_option_function<std::string>(
         "--completion", complete, "Print a completion script for this shell")
      ->check(CLI::IsMember(manual::shells()))
      ->type_name("SHELL");
  manual::refuseOtherBases(app);
  manual::addManPages(app, "blink-top " BLINK_VERSION_STRING);
  app.footer("Examples:\n"
             "  blink-top\n"
             "  blink-top --once 4711\n"
             "  blink-top --json | jq '.[].sentence'\n"
             "Exit code: 0 success, 1 no such job, 2 an invalid command line.");
  try {
    app.parse(argc, argv);
    if (options.history && !options.json)
      throw UsageError("--history is for --json");
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() != int(CLI::ExitCodes::Success))
      throw UsageError(std::string(error.what()) +
                       "; blink-top --help lists the options");
    app.exit(error);
    return false;
  }
  options.once |= options.json || isatty(STDOUT_FILENO) == 0;
  return true;
}

} // namespace blink::top
