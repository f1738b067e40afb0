//===- VerifyCommand.cpp - blinkc verify ----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Bundles.h"
#include "tools/blinkc/Command.h"
#include "tools/blinkc/Report.h"

#include "compiler/report/RecordedEdits.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

using namespace blink;

namespace {
struct VerifyFlags {
  std::string input;
  bool json = false;
  unsigned jobs = 0;
};
} // namespace

static nlohmann::ordered_json jsonReport(const Summary &summary,
                                         const std::vector<LinkEdit> &edits,
                                         const VerifyReport &report) {
  nlohmann::ordered_json json;
  json["ok"] = report.ok;
  json.update(jsonSummary(summary));
  addLinkEdits(json, edits);
  // What was recomputed, not what the file states.
  json["algbw_gbps"] = jsonRate(report.algbw);
  json["bound_gbps"] = jsonRate(report.bound);
  json["checks"] = nlohmann::ordered_json::array();
  for (const Check &check : report.checks)
    json["checks"].push_back(
        {{"name", check.name}, {"ok", check.ok}, {"detail", check.detail}});
  return json;
}

static void printReport(const Summary &summary,
                        const std::vector<LinkEdit> &edits,
                        const VerifyReport &report) {
  llvm::outs() << title(summary) << "\n" << linkEditsLine(edits);
  for (const Check &check : report.checks)
    llvm::outs() << llvm::formatv("  {0,-6} {1,-12} {2}\n",
                                  check.ok ? "ok" : "FAILED", check.name,
                                  check.detail);
  if (!report.ok) {
    llvm::outs() << "  NOT VERIFIED: do not run this schedule\n";
    return;
  }
  double percent =
      std::isinf(report.bound) ? 100 : 100 * report.algbw / report.bound;
  llvm::outs() << llvm::formatv("  verified: {0}, {1:F2} % of the bound, {2}\n",
                                formatRate(report.algbw), percent,
                                formatRate(report.bound));
}

static int run(const VerifyFlags &flags) {
  llvm::Expected<InputFile> input =
      readSchedule(flags.input, /*orBundle=*/true);
  if (!input)
    return reportError(input.takeError());
  if (input->kind == InputKind::bundle)
    return verifyBundleFile(*input, flags.jobs, flags.json);
  llvm::Expected<const sched::Schedule *> file = openSchedule(*input);
  if (!file)
    return reportError(file.takeError());

  const std::vector<LinkEdit> edits = recordedEdits(**file);
  bool ok = true;
  nlohmann::ordered_json programs = nlohmann::ordered_json::array();
  for (const sched::Program *program : *(*file)->programs()) {
    VerifyReport report = verifyProgram(**file, *program);
    Summary summary = summarize(**file, *program);
    ok &= report.ok;
    if (flags.json)
      programs.push_back(jsonReport(summary, edits, report));
    else
      printReport(summary, edits, report);
  }
  if (flags.json && programs.size() == 1)
    llvm::outs() << programs[0].dump(2) << "\n";
  else if (flags.json)
    llvm::outs()
        << nlohmann::ordered_json{{"ok", ok}, {"programs", programs}}.dump(2)
        << "\n";
  return ok ? kGood : kBadAnswer;
}

void blink::addVerifyCommand(CLI::App &app, int &exitCode) {
  auto flags = std::make_shared<VerifyFlags>();
  CLI::App *command = app.add_subcommand(
      "verify", "Prove a schedule right, free of deadlock and near its bound");
  command
      ->add_option("input", flags->input,
                   "A schedule, or a bundle of schedules (.sched)")
      ->required();
  command
      ->add_option("-j,--jobs", flags->jobs,
                   "Threads that verify a bundle; 0: one a processor")
      ->check(CLI::Range(0, 1024))
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--json", flags->json, "Report as JSON (docs/cli.md)");
  command->footer(
      "Nothing but the file is needed: it holds the machine, the program of\n"
      "every rank and the prices that prove the bound. Checked, by code that "
      "had\n"
      "no part in compiling: paths the runtime can drive; every contribution\n"
      "exactly once, in one order, on all ranks; the same in place; no "
      "deadlock\n"
      "for any number of chunks; the rate; the bound, re-priced without a "
      "solver.\n"
      "Of a bundle: all of that, for every schedule; and that each serves the\n"
      "allocations it is said to serve, link by link, with its rate and "
      "bound.\n"
      "Exit code 1 if any of it does not hold, 2 if the file is damaged.");
  command->callback([flags, &exitCode] { exitCode = run(*flags); });
}
