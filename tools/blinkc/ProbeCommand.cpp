//===- ProbeCommand.cpp - blinkc probe ------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/blinkc/MachineFile.h"
#include "tools/blinkc/Progress.h"

#include "compiler/driver/OutputFile.h"
#include "compiler/probe/Probe.h"
#include "compiler/probe/measure/Busy.h"
#include "compiler/support/Error.h"

#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace blink;

namespace {
struct ProbeFlags {
  ProbeOptions options;
  std::string output;
  std::string name;
  std::string rates = "nominal";
};
} // namespace

/// Returns kBadAnswer if the machine is busy, since the call itself is right;
/// all other errors are errors of the call.
static int reportProbe(llvm::Error error) {
  const bool isBusy = error.isA<BusyMachine>();
  const int code = reportError(std::move(error));
  return isBusy ? kBadAnswer : code;
}

static llvm::Expected<ProbedMachine> probe(ProbeOptions options) {
  Progress progress;
  options.watcher = [&](size_t done, size_t all) {
    progress.say(llvm::formatv("measuring: {0} of {1} runs", done, all).str());
  };
  return probeMachine(options);
}

static int run(const ProbeFlags &flags) {
  ProbeOptions options = flags.options;
  options.rates =
      flags.rates == "nccl" ? RateSource::nccl : RateSource::nominal;
  llvm::Expected<ProbedMachine> probed = probe(options);
  if (!probed)
    return reportProbe(probed.takeError());
  ImportedMachine &machine = probed->machine;
  Measurement *measurement =
      probed->measurement ? &*probed->measurement : nullptr;
  if (!flags.name.empty())
    machine.topology.name = flags.name;
  if (measurement)
    measurement->topology.name = machine.topology.name;
  std::string origin = "Written by blinkc probe of " + options.sysfs + ", " +
                       flags.rates + " rates.";
  if (measurement)
    origin += "\nMeasured by blinkc " BLINK_VERSION_STRING ": " +
              measurement->how + ".";
  // The picture is for people; a file on standard output is for programs.
  if (!isStandardOutput(flags.output)) {
    llvm::outs() << probed->matrix;
    const Topology &topology =
        measurement ? measurement->topology : machine.topology;
    if (measurement)
      for (const std::string &line : measurement->lines)
        llvm::outs() << line << "\n";
    llvm::Expected<double> bound = allreduceBound(topology);
    if (bound && std::isfinite(*bound)) // infinite for one GPU
      llvm::outs() << "allreduce of all " << topology.gpus().size()
                   << ": at most " << readable(*bound)
                   << " GB/s; blinkc explain shows which links limit it\n";
    else if (!bound)
      llvm::consumeError(bound.takeError()); // some GPUs are not connected
    llvm::outs().flush();
  }
  if (llvm::Error error = writeMachine(machine, origin, options.sysfs,
                                       flags.output, measurement))
    return reportError(std::move(error));
  return kGood;
}

void blink::addProbeCommand(CLI::App &app, int &exitCode) {
  auto [command, flags] = addCommand<ProbeFlags>(
      app, exitCode, "probe", "Make a topology of this machine", run);
  command
      .add_option("-o,--output", flags.output,
                  "Output file (.topo); - is standard output. By default, only "
                  "the matrix of links is printed")
      ->type_name("FILE");
  addMachineName(command, flags.name,
                 "Name of the machine. Default: the name of the host");
  command
      .add_option("--sysfs", flags.options.sysfs,
                  "Folder in which the kernel describes devices: /sys, or a "
                  "copy of another machine's /sys with a copy of its /proc "
                  "beside it")
      ->type_name("DIR")
      ->capture_default_str();
  command
      .add_option(
          "--rates", flags.rates,
          "Rates of links: nominal (of the vendors) or nccl (those that "
          "NCCL assumes, which are closer to what programs measure)")
      ->check(CLI::IsMember({"nominal", "nccl"}))
      ->capture_default_str();
  command.add_flag("--measure", flags.options.measure,
                   "Replace the rates by measured ones, each link alone and "
                   "then all together; exit code 1 if the machine is busy");
  command.footer(
      "The PCI tree, NICs, CPUs and AMD's links are those that the kernel "
      "reports;\n"
      "models of GPUs and NVLinks are read from NVIDIA's management library\n"
      "(libnvidia-ml.so.1). For a machine without a GPU, the output is a "
      "topology for\n"
      "the host back end, and the memory bandwidth is measured briefly.\n"
      "Example:\n"
      "  blinkc probe -o box.topo && blinkc compile box.topo -o box.sched");
}
