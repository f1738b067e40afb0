//===- ImportCommand.cpp - blinkc import ----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/blinkc/Files.h"
#include "tools/blinkc/Flags.h"
#include "tools/blinkc/MachineFile.h"

#include "compiler/driver/InputFile.h"
#include "compiler/import/Import.h"

using namespace blink;

namespace {
struct ImportFlags {
  std::string input;
  std::string output = "-";
  std::string name, gpuModel;
  std::string rates = "nominal";
};
} // namespace

static int run(const ImportFlags &flags) {
  if (llvm::Error error = checkOutput(flags.input, flags.output))
    return reportError(std::move(error));
  ImportOptions options;
  options.rates =
      flags.rates == "nccl" ? RateSource::nccl : RateSource::nominal;
  llvm::Expected<const GpuModel *> model = readGpuModel(flags.gpuModel);
  if (!model)
    return reportError(model.takeError());
  options.gpuModel = *model;
  llvm::Expected<InputFile> input = readInput(flags.input);
  if (!input)
    return reportError(input.takeError());
  llvm::Expected<ImportedMachine> machine =
      importMachine(input->text(), input->path, options);
  if (!machine)
    return reportError(machine.takeError());
  if (!flags.name.empty())
    machine->topology.name = flags.name;
  else if (flags.input == "-")
    machine->topology.name = "imported";
  std::string origin =
      "Imported from " + (flags.input == "-" ? "standard input" : flags.input) +
      " (" + machine->source + ") by blinkc import, " + flags.rates + " rates.";
  if (llvm::Error error =
          writeMachine(*machine, origin, input->path, flags.output))
    return reportError(std::move(error));
  return kGood;
}

void blink::addImportCommand(CLI::App &app, int &exitCode) {
  auto [command, flags] = addCommand<ImportFlags>(
      app, exitCode, "import",
      "Make a topology from another program's description of a machine", run);
  command
      .add_option(
          "FILE", flags.input,
          "NCCL topology XML (of NCCL_TOPO_DUMP_FILE, a cloud vendor or "
          "RCCL), hwloc XML (lstopo --of xml), or the output of "
          "nvidia-smi topo -m, nvidia-smi nvlink -R or -s, or rocm-smi "
          "--showtopo; - is standard input")
      ->type_name("")
      ->required();
  command
      .add_option("-o,--output", flags.output,
                  "Output file (.topo); - is standard output")
      ->type_name("FILE")
      ->capture_default_str();
  addMachineName(command, flags.name,
                 "Name of the machine. Default: the name in the file");
  addGpuModel(command, flags.gpuModel,
              "Model of the GPUs, for rates that the file does not contain: "
              "h100-sxm, a100-pcie, rtx-3090, ...");
  command
      .add_option(
          "--rates", flags.rates,
          "Rates of links: nominal (of the vendors) or nccl (those that "
          "NCCL assumes, which are closer to what programs measure)")
      ->check(CLI::IsMember({"nominal", "nccl"}))
      ->capture_default_str();
  command.footer("The format is recognised by content. What the file does not "
                 "contain is guessed.\n"
                 "A comment in the output documents each guess; unusual input "
                 "also causes a\n"
                 "warning.\n"
                 "Example:\n"
                 "  nvidia-smi topo -m | blinkc import - | blinkc bound -");
}
