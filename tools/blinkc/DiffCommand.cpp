//===- DiffCommand.cpp - blinkc diff --------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/blinkc/Files.h"
#include "tools/blinkc/Flags.h"

#include "compiler/driver/InputFile.h"
#include "compiler/render/DiffReport.h"
#include "compiler/render/MachineDiff.h"

#include "llvm/Support/raw_ostream.h"

using namespace blink;

namespace {
struct DiffFlags {
  std::string before;
  std::string after;
  DiffOptions options;
  bool json = false;
};
} // namespace

/// Opens `input`, which is a schedule or a bundle.
static llvm::Expected<ComparedFiles::File> open(const InputFile &input) {
  if (input.kind == InputKind::bundle) {
    llvm::Expected<sched::BundleView> bundle = openBundle(input);
    if (!bundle)
      return bundle.takeError();
    llvm::Expected<OpenedFile> opened = OpenedFile::of(*bundle, input.bytes);
    if (!opened)
      return makeError("{0}: {1}", input.path,
                       llvm::toString(opened.takeError()));
    return ComparedFiles::File{input.path, std::move(*opened)};
  }
  if (llvm::Error error = expectSchedule(input))
    return error;
  llvm::Expected<const sched::Schedule *> schedule = openSchedule(input);
  if (!schedule)
    return schedule.takeError();
  return ComparedFiles::File{input.path,
                             OpenedFile::of(**schedule, input.bytes)};
}

static int diffMachines(const InputFile &before, const InputFile &after,
                        const DiffFlags &flags) {
  llvm::Expected<Topology> one = openTopology(before);
  if (!one)
    return reportError(one.takeError());
  llvm::Expected<Topology> other = openTopology(after);
  if (!other)
    return reportError(other.takeError());
  TopologyDiff diff = diffTopologies(*one, *other, flags.options.tolerance);
  llvm::outs() << (flags.json ? toJson(diff) : toText(diff));
  return isWorse(diff) ? kBadAnswer : kGood;
}

static int diffSchedules(const InputFile &before, const InputFile &after,
                         const DiffFlags &flags) {
  if (before.kind != after.kind)
    for (const InputFile *bundle : {&before, &after})
      if (bundle->kind == InputKind::bundle)
        return reportError(refuseBundle(*bundle));
  ComparedFiles files;
  for (auto [input, file] :
       {std::pair(&before, &files.before), std::pair(&after, &files.after)}) {
    llvm::Expected<ComparedFiles::File> opened = open(*input);
    if (!opened)
      return reportError(opened.takeError());
    *file = std::move(*opened);
  }
  files.diff =
      diffSchedules(files.before.opened, files.after.opened, flags.options);
  llvm::outs() << (flags.json ? toJson(files) : toText(files));
  return files.diff.count(Severity::worse) == 0 ? kGood : kBadAnswer;
}

static int run(const DiffFlags &flags) {
  if (llvm::Error error = readsOnce({flags.before, flags.after}))
    return reportError(std::move(error));
  llvm::Expected<InputFile> before = readInput(flags.before);
  if (!before)
    return reportError(before.takeError());
  llvm::Expected<InputFile> after = readInput(flags.after);
  if (!after)
    return reportError(after.takeError());
  return before->kind == InputKind::topology &&
                 after->kind == InputKind::topology
             ? diffMachines(*before, *after, flags)
             : diffSchedules(*before, *after, flags);
}

void blink::addDiffCommand(CLI::App &app, int &exitCode) {
  auto [command, flags] = addCommand<DiffFlags>(
      app, exitCode, "diff",
      "Report the differences between two schedules, bundles or machines", run);
  command
      .add_option("A", flags.before,
                  "Schedule or bundle (.sched), topology (.topo) or name of a "
                  "machine type")
      ->type_name("FILE|MACHINE")
      ->required();
  command
      .add_option("B", flags.after, "File or machine type to compare A with")
      ->type_name("FILE|MACHINE")
      ->required();
  addTolerance(command, "--tolerance", flags.options.tolerance,
               "Relative change of a rate up to which it counts as neither "
               "worse nor better");
  command.add_flag("--json", flags.json,
                   "Report as JSON (docs/cli.md), with all changes");
  command.footer(
      "Programs are matched by collective, root, GPUs and relays. A higher "
      "rate, less\n"
      "latency, lower trees, and fewer lanes and channels are better; a "
      "missing program\n"
      "is worse; changes of the machine, of bounds and the rest are only "
      "different.\n"
      "Between two machines, nodes and links that are gone and links that are "
      "slower are worse.\n"
      "Findings that are worse come first. Of many similar lines, only the "
      "first are\n"
      "printed.\n"
      "Exit code 1 if anything is worse, 2 if a file is damaged or not a "
      "schedule.\n"
      "Example:\n"
      "  blinkc diff old.sched new.sched --tolerance 0.01");
}
