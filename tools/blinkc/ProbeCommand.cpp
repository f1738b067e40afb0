//===- ProbeCommand.cpp - blinkc probe ------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/blinkc/MachineFile.h"

#include "compiler/probe/Probe.h"

#include "llvm/Support/raw_ostream.h"

using namespace blink;

namespace {
struct ProbeFlags {
  ProbeOptions options;
  std::string output;
  std::string name;
  std::string rates = "nominal";
};
} // namespace

static int run(const ProbeFlags &flags) {
  ProbeOptions options = flags.options;
  options.rates =
      flags.rates == "nccl" ? RateSource::nccl : RateSource::nominal;
  llvm::Expected<ProbedMachine> probed = probeMachine(options);
  if (!probed)
    return reportError(probed.takeError());
  ImportedMachine &machine = probed->machine;
  if (!flags.name.empty())
    machine.topology.name = flags.name;
  // The picture is for people, and a file on standard output for programs.
  if (flags.output != "-") {
    llvm::outs() << probed->matrix;
    llvm::Expected<double> bound = allreduceBound(machine.topology);
    if (bound)
      llvm::outs() << "allreduce of all " << machine.topology.gpus().size()
                   << ": at most " << readable(*bound)
                   << " GB/s; blinkc explain shows which links limit it\n";
    else
      llvm::consumeError(bound.takeError()); // some GPUs are not joined
    llvm::outs().flush();
  }
  if (llvm::Error error =
          writeMachine(machine,
                       "Written by blinkc probe of " + options.sysfs + ", " +
                           flags.rates + " rates.",
                       options.sysfs, flags.output))
    return reportError(std::move(error));
  return kGood;
}

void blink::addProbeCommand(CLI::App &app, int &exitCode) {
  auto [command, flags] = addCommand<ProbeFlags>(
      app, exitCode, "probe", "Make a topology of this machine", run);
  command
      .add_option("-o,--output", flags.output,
                  "The .topo file to write; - is standard output; none: only "
                  "the picture")
      ->type_name("FILE");
  command.add_option("--name", flags.name,
                     "Name of the machine, instead of the host's");
  command
      .add_option("--sysfs", flags.options.sysfs,
                  "Where the kernel tells of devices: /sys, or a copy of "
                  "another machine's with its proc/ beside it")
      ->type_name("DIR")
      ->capture_default_str();
  command
      .add_option("--rates", flags.rates,
                  "nominal: the makers' figures; nccl: those that NCCL plans "
                  "with, nearer to what programs get")
      ->check(CLI::IsMember({"nominal", "nccl"}))
      ->capture_default_str();
  command.footer(
      "The kernel tells the PCI tree, NICs, CPUs and AMD's links; NVIDIA's\n"
      "management library (libnvidia-ml.so.1) models and NVLinks. A machine "
      "without\n"
      "a GPU becomes the topology that schedules of the host back end are "
      "compiled\n"
      "for, and its memory is measured for a moment.\n"
      "Example:\n"
      "  blinkc probe -o box.topo && blinkc compile box.topo -o box.sched");
}
