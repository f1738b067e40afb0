//===- VerifyCommand.cpp - blinkc verify ----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/blinkc/Files.h"
#include "tools/blinkc/Flags.h"
#include "tools/blinkc/Progress.h"

#include "compiler/driver/InputFile.h"
#include "compiler/driver/ProveBundle.h"
#include "compiler/render/BundleReport.h"
#include "compiler/render/ProofReport.h"
#include "compiler/report/RecordedEdits.h"
#include "compiler/simulate/LaneCosts.h"
#include "compiler/support/Error.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace blink;

namespace {
struct VerifyFlags {
  std::string input;
  std::string costs;
  uint64_t queue = 0;
  bool json = false;
  unsigned jobs = 0;
};
} // namespace

static llvm::Expected<VerifyOptions> optionsFor(const VerifyFlags &flags) {
  VerifyOptions options;
  options.times = true;
  options.queueBytes = double(flags.queue);
  if (flags.costs.empty())
    return options;
  llvm::Expected<DeviceCosts> costs = costsAt(flags.costs);
  if (!costs)
    return costs.takeError();
  if (costs->host)
    return makeError(
        "--costs {0}: costs of a host, whose lanes share a thread; "
        "verify needs costs of GPUs",
        flags.costs);
  const LaneCosts &simple = costs->simple.back().costs;
  const LaneCosts &lowLatency = costs->lowLatency.front().costs;
  options.simple = {simple.step, simple.rate};
  options.lowLatency = {lowLatency.step, lowLatency.rate};
  return options;
}

static int verifyBundle(const InputFile &input, const VerifyFlags &flags) {
  llvm::Expected<sched::BundleView> bundle = openBundle(input);
  if (!bundle)
    return reportError(bundle.takeError());
  if (!flags.costs.empty())
    return reportError(makeError("--costs: the schedules of a bundle are not "
                                 "timed; take one out with blinkc extract"));
  VerifyOptions options;
  options.queueBytes = double(flags.queue);
  Progress progress;
  const ProvedBundle proved{
      BundleContents::of(*bundle->index),
      proveBundle(*bundle, flags.jobs, progress.classes("verifying"), options)};
  progress.say("");
  llvm::outs() << (flags.json ? toJson(proved) : toText(proved));
  return proved.proof.ok() ? kGood : kBadAnswer;
}

static ProvedSchedule prove(const sched::Schedule &file,
                            const VerifyOptions &options) {
  ProvedSchedule proved{recordedEdits(file), {}};
  for (const sched::Program *program : *file.programs())
    proved.programs.push_back(
        {summarize(file, *program), verifyProgram(file, *program, options)});
  return proved;
}

static int run(const VerifyFlags &flags) {
  if (llvm::Error error = readsOnce({flags.input, flags.costs}))
    return reportError(std::move(error));
  llvm::Expected<InputFile> input =
      readSchedule(flags.input, /*orBundle=*/true, /*inFull=*/false);
  if (!input)
    return reportError(input.takeError());
  if (input->kind == InputKind::bundle)
    return verifyBundle(*input, flags);
  llvm::Expected<const sched::Schedule *> file = openAnySchedule(*input);
  if (!file)
    return reportError(file.takeError());
  llvm::Expected<VerifyOptions> options = optionsFor(flags);
  if (!options)
    return reportError(options.takeError());
  ProvedSchedule proved = prove(**file, *options);
  // Errors in a symmetric schedule are reported by places in the expanded one.
  if (!proved.ok() && sched::isSymmetric(**file)) {
    if (llvm::Error error = expand(*input))
      return reportError(std::move(error));
    file = openSchedule(*input);
    if (!file)
      return reportError(file.takeError());
    proved = prove(**file, *options);
  }
  llvm::outs() << (flags.json ? toJson(proved) : toText(proved));
  return proved.ok() ? kGood : kBadAnswer;
}

void blink::addVerifyCommand(CLI::App &app, int &exitCode) {
  auto [command, flags] = addCommand<VerifyFlags>(
      app, exitCode, "verify",
      "Verify that a schedule is correct, free of deadlock, and has the stated "
      "rate and bound",
      run);
  addInput(command, flags.input);
  addJobs(command, flags.jobs,
          "Number of threads that verify a bundle (0: one per processor)");
  addCosts(command, flags.costs);
  command
      .add_option(
          "--queue", flags.queue,
          "Maximum number of bytes that may queue in front of a network "
          "link; more is a failure (0: no limit)")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("BYTES")
      ->capture_default_str();
  command.add_flag("--json", flags.json, "Report as JSON (docs/cli.md)");
  command.footer(
      "Only the file is needed: it contains the machine, the program of every "
      "rank, and\n"
      "the prices that prove the bound. The checks share no code with the "
      "compiler.\n"
      "They prove that the runtime can drive all paths; that every output "
      "contains each\n"
      "contribution exactly once, reduced in one order on all ranks, also in "
      "place;\n"
      "that there is no deadlock for any number of chunks; that the links "
      "sustain the\n"
      "rate, and which part of it lanes in order keep; and the bound, by its "
      "prices and\n"
      "without a solver.\n"
      "In a bundle, every schedule is verified, and also that it serves the "
      "allocations\n"
      "that the bundle states, link by link, with its rate and bound.\n"
      "Exit code 1 if a check fails, 2 if the file is damaged.");
}
