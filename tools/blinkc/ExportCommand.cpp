//===- ExportCommand.cpp - blinkc export ----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/blinkc/Flags.h"

#include "compiler/driver/OutputFile.h"
#include "compiler/export/Export.h"
#include "compiler/support/Error.h"
#include "compiler/target/ScheduleTopology.h"
#include "compiler/verify/Verify.h"

#include "llvm/Support/raw_ostream.h"

using namespace blink;

namespace {
struct ExportFlags {
  std::string input, format;
  std::string output = "-";
  std::string gpuModel;
  JobFlags job;
};
} // namespace

/// Returns the machine that `path` describes, or that its schedule is for.
static llvm::Expected<Topology> readMachine(const std::string &path,
                                            const JobFlags &job) {
  llvm::Expected<InputFile> input = readInput(path);
  if (!input)
    return input.takeError();
  if (input->kind != InputKind::bundle)
    if (llvm::Error error = job.refuseFor(*input))
      return error;
  if (input->kind == InputKind::topology)
    return openTopology(*input);
  if (input->kind == InputKind::ir)
    return makeError("{0}: is neither a topology nor a schedule; "
                     "docs/topology-format.md shows the former",
                     input->path);
  if (input->kind == InputKind::bundle) {
    llvm::Expected<BundleJob> wanted = job.job();
    if (!wanted)
      return wanted.takeError();
    input = extractSchedule(*input, *wanted);
    if (!input)
      return input.takeError();
  }
  llvm::Expected<const sched::Schedule *> schedule = openSchedule(*input);
  if (!schedule)
    return schedule.takeError();
  return topologyOf(**schedule);
}

static llvm::Expected<ExportedFile> exportTopo(const ExportFlags &flags) {
  llvm::Expected<const GpuModel *> model = readGpuModel(flags.gpuModel);
  if (!model)
    return model.takeError();
  llvm::Expected<Topology> machine = readMachine(flags.input, flags.job);
  if (!machine)
    return machine.takeError();
  return exportNcclTopo(*machine, *model);
}

static llvm::Expected<ExportedFile> exportSchedule(const ExportFlags &flags) {
  if (!flags.gpuModel.empty())
    return makeError("--gpu-model is for --format nccl-topo");
  llvm::Expected<InputFile> input = flags.job.readSchedule(flags.input);
  if (!input)
    return input.takeError();
  llvm::Expected<const sched::Schedule *> schedule = openSchedule(*input);
  if (!schedule)
    return schedule.takeError();
  const auto &programs = *(*schedule)->programs();
  if (programs.size() > 1)
    return makeError("{0}: has {1} programs, but the format holds one; compile "
                     "one collective at a time",
                     input->path, programs.size());
  const sched::Program &program = *programs[0];
  // Exports rely on what is proved, as runtimes do.
  for (const Check &check : verifyProgram(**schedule, program).checks)
    if (!check.ok)
      return makeError("{0}: is not proved, so it is not exported; blinkc "
                       "verify says more: {1}: {2}",
                       input->path, check.name, check.detail);
  return flags.format == "mscclpp" ? exportMscclpp(**schedule, program)
                                   : exportNcclGraph(**schedule, program);
}

static int run(const ExportFlags &flags) {
  if (llvm::Error error = checkOutput(flags.input, flags.output))
    return reportError(std::move(error));
  llvm::Expected<ExportedFile> file =
      flags.format == "nccl-topo" ? exportTopo(flags) : exportSchedule(flags);
  if (!file)
    return reportError(file.takeError());
  for (const std::string &note : file->notes)
    llvm::errs() << flags.input << ": note: " << note << "\n";
  if (llvm::Error error = writeFile(flags.output, file->text))
    return reportError(std::move(error));
  return kGood;
}

void blink::addExportCommand(CLI::App &app, int &exitCode) {
  auto [command, flags] = addCommand<ExportFlags>(
      app, exitCode, "export",
      "Write a schedule or machine in the format of another program", run);
  command
      .add_option(
          "FILE", flags.input,
          "Schedule (.sched), or bundle, from which -g, -c and -r select "
          "a schedule. For nccl-topo also a topology or the name of a "
          "machine type")
      ->type_name("FILE|MACHINE")
      ->required();
  command
      .add_option("--format", flags.format,
                  "Format: mscclpp (an execution plan of MSCCL++), nccl-graph "
                  "(the schedule's chains and rings, for NCCL_GRAPH_FILE) or "
                  "nccl-topo (the machine, for NCCL_TOPO_FILE)")
      ->check(CLI::IsMember({"mscclpp", "nccl-graph", "nccl-topo"}))
      ->required();
  command
      .add_option("-o,--output", flags.output,
                  "Output file; - is standard output")
      ->type_name("FILE")
      ->capture_default_str();
  addGpuModel(
      command, flags.gpuModel,
      "For nccl-topo: model of the GPUs. Default: the first model whose "
      "links have the rates of the machine's links");
  flags.job.addTo(command);
  command.footer(
      "If the format cannot express something, a note on standard error "
      "says so.\n"
      "Example:\n"
      "  blinkc export dgx-h100 --format nccl-topo -o topo.xml");
}
