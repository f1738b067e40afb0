//===- ExplainCommand.cpp - blinkc explain --------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/blinkc/Files.h"
#include "tools/blinkc/Flags.h"
#include "tools/blinkc/Progress.h"

#include "compiler/render/Dot.h"
#include "compiler/render/ExplanationReport.h"
#include "compiler/report/RecordedEdits.h"

#include "llvm/Support/raw_ostream.h"

using namespace blink;

namespace {
struct ExplainFlags {
  std::string input;
  RequestFlags request;
  bool json = false;
  bool dot = false;
  bool phases = false;
  size_t whatIf = 0;
};
} // namespace

/// Summarizes the same job compiled in three phases. Errors: an input that is
/// no topology, or does not suit phases.
static llvm::Expected<Summary> inPhases(const InputFile &input,
                                        CompileOptions options) {
  if (input.kind != InputKind::topology)
    return makeError(
        "--phases: {0} is not a topology, but only a topology can be "
        "compiled twice to compare; give the topology instead",
        input.path);
  options.phases = true;
  llvm::Expected<InputFile> compiled = scheduleOf(input, options);
  if (!compiled)
    return compiled.takeError();
  llvm::Expected<const sched::Schedule *> file = openSchedule(*compiled);
  if (!file)
    return file.takeError();
  return summarize(**file, *(*file)->programs()->Get(0));
}

static int run(const ExplainFlags &flags) {
  llvm::Expected<CompileOptions> options = flags.request.options();
  if (!options)
    return reportError(options.takeError());
  llvm::Expected<InputFile> input = readInput(flags.input);
  if (!input)
    return reportError(input.takeError());
  if (llvm::Error error = flags.request.checkUse(*input))
    return reportError(std::move(error));
  llvm::Expected<InputFile> compiled = scheduleOf(*input, *options);
  if (!compiled)
    return reportError(compiled.takeError());
  llvm::Expected<const sched::Schedule *> file = openSchedule(*compiled);
  if (!file)
    return reportError(file.takeError());
  const std::vector<LinkEdit> edits = recordedEdits(**file);
  std::optional<Summary> phases;
  if (flags.phases) {
    llvm::Expected<Summary> other = inPhases(*input, *options);
    if (!other)
      return reportError(other.takeError());
    phases = std::move(*other);
  }
  Progress progress;
  for (const sched::Program *program : *(*file)->programs()) {
    ExplainedProgram explained{explainProgram(**file, *program), edits, {}, {}};
    if (flags.dot) {
      llvm::outs() << toDot(explained.explanation);
      continue;
    }
    if (flags.whatIf > 0) {
      auto improvements =
          tryMoreLinks(**file, *program, flags.whatIf, progress.work());
      progress.end();
      if (!improvements)
        return reportError(improvements.takeError());
      explained.improvements = std::move(*improvements);
    }
    explained.phases = phases;
    llvm::outs() << (flags.json ? toJson(explained) : toText(explained));
  }
  return kGood;
}

void blink::addExplainCommand(CLI::App &app, int &exitCode) {
  auto [command, flags] = addCommand<ExplainFlags>(
      app, exitCode, "explain", "Explain which links limit a schedule", run);
  command
      .add_option(
          "input", flags.input,
          "Schedule or bundle (.sched), or a topology or IR, which is compiled "
          "first")
      ->type_name("FILE|MACHINE")
      ->required();
  flags.request.addTo(command);
  command.add_flag("--json", flags.json, "Report as JSON (docs/cli.md)");
  command
      .add_flag("--dot", flags.dot,
                "Print the links and their loads as a graph for graphviz: ... "
                "--dot | dot -Tsvg")
      ->excludes("--json");
  command
      .add_flag("--phases", flags.phases,
                "Also compile in three phases (compile --phases), and "
                "compare rate, depth, peers and connections")
      ->excludes("--dot");
  command
      .add_option("--what-if", flags.whatIf,
                  "Compute the bound with one more link, for each of this many "
                  "of the scarcest links")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str()
      ->excludes("--dot");
  command.footer(
      "Scarce links are those with a price in the certificate: only more\n"
      "bandwidth on these links could make any schedule faster.\n"
      "Example:\n"
      "  blinkc explain allreduce.sched\n"
      "  blinkc explain dgx1.topo -c broadcast -g 0,1,2 -l nvlink\n"
      "  blinkc explain dgx1.sched -c broadcast -g 1,4,5,6 -r 2");
}
