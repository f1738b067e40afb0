//===- ReportCommand.cpp - blinkc report ----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/blinkc/Files.h"
#include "tools/blinkc/Progress.h"

#include "compiler/driver/InputFile.h"
#include "compiler/driver/OutputFile.h"
#include "compiler/render/PageReport.h"

using namespace blink;

namespace {
struct ReportFlags {
  std::string input, output;
};
} // namespace

static llvm::Expected<PageData> pageOfInput(const InputFile &input,
                                            const WorkWatcher &watcher) {
  switch (input.kind) {
  case InputKind::schedule: {
    llvm::Expected<const sched::Schedule *> file = openSchedule(input);
    return file ? pageOf(**file, watcher) : file.takeError();
  }
  case InputKind::bundle: {
    llvm::Expected<sched::BundleView> bundle = openBundle(input);
    return bundle ? pageOf(*bundle, watcher) : bundle.takeError();
  }
  case InputKind::topology: {
    llvm::Expected<Topology> topology = openTopology(input);
    return topology ? pageOf(*topology, watcher) : topology.takeError();
  }
  case InputKind::ir:
    break;
  }
  return makeError("is IR; make a schedule of it with: blinkc compile {0} -o "
                   "FILE.sched",
                   input.path);
}

static int run(const ReportFlags &flags) {
  if (llvm::Error error = checkOutput(flags.input, flags.output))
    return reportError(std::move(error));
  llvm::Expected<InputFile> input = readInput(flags.input);
  if (!input)
    return reportError(input.takeError());
  Progress progress;
  progress.begin(input->path, input->bytes.size());
  llvm::Expected<PageData> page = pageOfInput(*input, progress.work());
  progress.end();
  if (!page) {
    std::string words = llvm::toString(page.takeError());
    const bool hasPlace = llvm::StringRef(words).starts_with(input->path + ":");
    return reportError(
        makeError("{0}", hasPlace ? words : input->path + ": " + words));
  }
  if (llvm::Error error = writeFile(flags.output, toHtml(*page)))
    return reportError(std::move(error));
  return kGood;
}

void blink::addReportCommand(CLI::App &app, int &exitCode) {
  auto [command, flags] = addCommand<ReportFlags>(
      app, exitCode, "report",
      "Make a web page of the machine, the trees, and the links that limit a "
      "job",
      run);
  command
      .add_option("input", flags.input,
                  "Schedule, bundle, or topology (a .topo file, or a name from "
                  "blinkc topo list)")
      ->type_name("FILE|MACHINE")
      ->required();
  command
      .add_option("-o,--output", flags.output,
                  "Output file (HTML); - is standard output")
      ->required()
      ->type_name("FILE");
  command.footer(
      "The page is a single file that needs no network. For a bundle, "
      "it has all\n"
      "allocations.\n"
      "Example:\n"
      "  blinkc report allreduce.sched -o report.html\n"
      "  blinkc report dgx-h100 -o machine.html");
}
