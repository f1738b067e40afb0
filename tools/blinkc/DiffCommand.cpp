//===- DiffCommand.cpp - blinkc diff --------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/blinkc/FindingJson.h"

#include "compiler/driver/InputFile.h"
#include "compiler/report/ScheduleDiff.h"
#include "schedules/Provenance.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <memory>

using namespace blink;

namespace {
struct DiffFlags {
  std::string before;
  std::string after;
  DiffOptions options;
  bool json = false;
};

/// A file, open: `bytes` points into `input`.
struct DiffInput {
  InputFile input;
  OpenedFile file;
};
} // namespace

static llvm::Expected<std::unique_ptr<DiffInput>>
openInput(llvm::StringRef path) {
  llvm::Expected<InputFile> input = readSchedule(path);
  if (!input)
    return input.takeError();
  auto opened = std::make_unique<DiffInput>();
  opened->input = std::move(*input);
  llvm::Expected<const sched::Schedule *> schedule =
      openSchedule(opened->input);
  if (!schedule)
    return schedule.takeError();
  opened->file = {*schedule, opened->input.bytes};
  return opened;
}

static nlohmann::ordered_json jsonFile(const DiffInput &input) {
  const sched::Schedule &schedule = *input.file.schedule;
  nlohmann::ordered_json json;
  json["path"] = input.input.path;
  json["bytes"] = input.file.bytes.size();
  json["checksum"] = formatHash(input.file.checksum());
  json["compiler"] = schedule.provenance()->compiler()->str();
  json["options"] = sched::toString(sched::settingsOf(*schedule.provenance()));
  json["links"] = toString(LinkKindSet(schedule.link_kinds()));
  json["topology"] = schedule.topology()->name()->str();
  json["fingerprint"] = formatHash(schedule.topology()->fingerprint());
  json["programs"] = schedule.programs()->size();
  return json;
}

static nlohmann::ordered_json jsonReport(const DiffInput &before,
                                         const DiffInput &after,
                                         const ScheduleDiff &diff) {
  nlohmann::ordered_json json;
  json["ok"] = diff.count(Severity::worse) == 0;
  json["identical"] = diff.identical;
  json["same_content"] = diff.sameContent;
  for (Severity severity :
       {Severity::worse, Severity::better, Severity::different})
    json[toString(severity).str()] = diff.count(severity);
  json["before"] = jsonFile(before);
  json["after"] = jsonFile(after);
  json["findings"] = nlohmann::ordered_json::array();
  for (const Finding &finding : diff.findings)
    json["findings"].push_back(jsonFinding(finding));
  return json;
}

static int run(const DiffFlags &flags) {
  // CLI::Range lets NaN through.
  if (std::isnan(flags.options.tolerance))
    return reportError(
        llvm::createStringError(std::errc::invalid_argument,
                                "--tolerance: expected a number from 0 to 1"));
  auto before = openInput(flags.before);
  if (!before)
    return reportError(before.takeError());
  auto after = openInput(flags.after);
  if (!after)
    return reportError(after.takeError());
  ScheduleDiff diff =
      diffSchedules((*before)->file, (*after)->file, flags.options);
  if (flags.json) {
    // Names in a file may be in any encoding.
    llvm::outs() << jsonReport(**before, **after, diff)
                        .dump(2, ' ', false,
                              nlohmann::json::error_handler_t::replace)
                 << "\n";
  } else {
    llvm::outs() << toVerdict(diff) << "\n";
    for (const std::string &line : toLines(diff.findings))
      llvm::outs() << "  " << line << "\n";
  }
  return diff.count(Severity::worse) == 0 ? kGood : kBadAnswer;
}

void blink::addDiffCommand(CLI::App &app, int &exitCode) {
  auto flags = std::make_shared<DiffFlags>();
  CLI::App *command = app.add_subcommand(
      "diff", "Say in words what changed from one schedule to another");
  command->add_option("A", flags->before, "A schedule (.sched)")
      ->type_name("FILE")
      ->required();
  command->add_option("B", flags->after, "The schedule to compare with it")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--tolerance", flags->options.tolerance,
                   "A rate that changed by no more than this, relative, is "
                   "neither worse nor better")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("X")
      ->capture_default_str();
  command->add_flag("--json", flags->json,
                    "Report as JSON (docs/cli.md), with all that changed");
  command->footer(
      "Programs are matched by collective, root, GPUs and relays. A higher "
      "rate,\n"
      "less latency, lower trees, fewer lanes and channels are better, a "
      "program\n"
      "that is gone is worse; machines, links, bounds and the rest are only\n"
      "different. What is worse comes first. Of many lines alike the first "
      "are\n"
      "shown.\n"
      "Exit code 1 if anything is worse, 2 if a file is damaged or no "
      "schedule.\n"
      "Example:\n"
      "  blinkc diff old.sched new.sched --tolerance 0.01");
  command->callback([flags, &exitCode] { exitCode = run(*flags); });
}
