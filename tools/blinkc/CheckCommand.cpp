//===- CheckCommand.cpp - blinkc check ------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/blinkc/Files.h"
#include "tools/blinkc/Flags.h"
#include "tools/blinkc/Progress.h"
#include "tools/blinkc/Stopwatch.h"

#include "compiler/check/GoldenFile.h"
#include "compiler/driver/OutputFile.h"
#include "compiler/render/CheckReport.h"
#include "schedules/WholeFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace blink;

namespace {
struct CheckFlags {
  CheckFolders folders;
  CheckTolerance tolerance;
  std::string bundles;
  std::string junit;
  std::string markdown;
  unsigned jobs = 0;
  bool json = false;
};
} // namespace

/// Reports errors of several files, one per line.
static int reportAll(llvm::Error errors) {
  llvm::handleAllErrors(std::move(errors), [](const llvm::ErrorInfoBase &one) {
    reportError(makeError(one.message()));
  });
  return kBadCall;
}

/// Writes the results of checking one machine: its bundle, and with --update
/// its golden summary.
static llvm::Error writeOutputs(const MachineFiles &files,
                                const MachineResult &result,
                                const CheckFlags &flags,
                                std::vector<std::string> &written) {
  if (result.bundle.empty())
    return llvm::Error::success();
  if (!flags.bundles.empty()) {
    llvm::SmallString<128> path(flags.bundles);
    llvm::sys::path::append(path, files.name + ".sched");
    if (llvm::Error error = writeFile(path, llvm::toStringRef(result.bundle)))
      return error;
  }
  if (!flags.folders.update)
    return llvm::Error::success();
  std::string text = writeGolden(result.now);
  if (text == files.goldenText)
    return llvm::Error::success();
  written.push_back(files.goldenPath);
  return writeFile(files.goldenPath, text);
}

static int run(const CheckFlags &flags) {
  if (!flags.folders.allocations.empty() &&
      !(flags.folders.update && flags.folders.only.size() == 1))
    return reportError(makeError("--allocations goes with --update and one "
                                 "--only: it is kept in the golden summary"));
  for (const std::string &path : {flags.junit, flags.markdown})
    if (llvm::Error error = checkOutput("", path))
      return reportError(std::move(error));
  if (!flags.junit.empty() && !flags.markdown.empty() &&
      sched::areSameFile(flags.junit, flags.markdown))
    return reportError(makeError("--markdown {0}: is also the file of --junit",
                                 flags.markdown));
  CheckFolders folders = flags.folders;
  if (folders.topologies.empty()) {
    llvm::SmallString<128> path(folders.golden);
    llvm::sys::path::append(path, "..", "topologies");
    folders.topologies = path.str().str();
  }
  auto machines = findMachines(folders);
  if (!machines)
    return reportAll(machines.takeError());

  Progress progress;
  std::vector<MachineResult> results;
  std::vector<std::string> written;
  for (const MachineFiles &files : *machines) {
    Stopwatch watch;
    MachineResult &result = results.emplace_back(checkMachine(
        files, flags.tolerance, flags.jobs,
        progress.classes(llvm::formatv("{0}, machine {1} of {2}", files.name,
                                       results.size() + 1, machines->size()))));
    result.seconds = watch.seconds();
    if (llvm::Error error = writeOutputs(files, result, flags, written))
      return reportError(std::move(error));
    result.bundle = {};
  }
  progress.say("");

  const bool ok = llvm::all_of(results, [&](const MachineResult &result) {
    return result.passes(flags.folders.update);
  });
  if (!flags.junit.empty())
    if (llvm::Error error = writeFile(flags.junit, toJUnit(results)))
      return reportError(std::move(error));
  if (!flags.markdown.empty())
    if (llvm::Error error =
            writeFile(flags.markdown, toMarkdown(results, flags.tolerance)))
      return reportError(std::move(error));
  llvm::outs() << (flags.json ? toJson(results, ok, flags.tolerance)
                              : toText(results, flags.tolerance));
  if (!flags.json)
    for (const std::string &path : written)
      llvm::outs() << "written: " << path << "\n";
  return ok ? kGood : kBadAnswer;
}

void blink::addCheckCommand(CLI::App &app, int &exitCode) {
  auto [command, flags] = addCommand<CheckFlags>(
      app, exitCode, "check",
      "Recompile and verify the schedules of all machine types, and compare "
      "them with golden summaries",
      run);
  command
      .add_option("FOLDER", flags.folders.golden,
                  "Folder with the files NAME.golden.json")
      ->type_name("")
      ->required();
  command
      .add_option("--topologies", flags.folders.topologies,
                  "Folder with the files NAME.topo. Default: "
                  "FOLDER/../topologies")
      ->type_name("FOLDER");
  command
      .add_option("--only", flags.folders.only,
                  "Check only this machine type. May be repeated")
      ->type_name("MACHINE")
      ->take_all()
      ->expected(1);
  command.add_flag(
      "--update", flags.folders.update,
      "Rewrite the golden summaries, except those of machine types "
      "whose schedules are wrong");
  command
      .add_option(
          "--allocations", flags.folders.allocations,
          "With --update --only: allocations for which that machine type is "
          "compiled from now on, in the syntax of compile --allocations")
      ->type_name("LIST");
  addTolerance(command, "--tolerance", flags.tolerance.rate,
               "Relative decrease of a rate above which it counts as worse");
  addTolerance(command, "--time-tolerance", flags.tolerance.time,
               "Relative increase of a predicted time above which it counts as "
               "worse");
  command
      .add_option("--bundles", flags.bundles,
                  "Also write each correct bundle as NAME.sched to this folder")
      ->type_name("FOLDER");
  command
      .add_option("--junit", flags.junit, "Also write a report as JUnit XML")
      ->type_name("FILE");
  command
      .add_option("--markdown", flags.markdown,
                  "Also write a report as Markdown")
      ->type_name("FILE");
  addJobs(command, flags.jobs,
          "Number of threads (0: one per processor). The result does not "
          "depend on it");
  command.add_flag("--json", flags.json,
                   "Report as JSON (docs/cli.md), with all changes");
  command.footer(
      "The golden summary of a machine type, NAME.topo, records properties of "
      "its\n"
      "schedules. A machine type without one is new: --update writes it.\n"
      "Exit code 1 if a schedule is wrong, or worse than the golden summary by "
      "more\n"
      "than the tolerance; 2 if a file is invalid: then nothing is compiled or "
      "written.\n"
      "Examples:\n"
      "  blinkc check schedules/\n"
      "  blinkc check schedules/ --update --only dgx1\n"
      "  blinkc check schedules/ --junit check.xml --markdown check.md");
}
