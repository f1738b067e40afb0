//===- TopoListCommand.cpp - blinkc topo list -----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/blinkc/MachineFile.h"
#include "tools/blinkc/Progress.h"

#include "compiler/machines/MachineTypes.h"
#include "compiler/render/MachineList.h"

#include "llvm/Support/raw_ostream.h"

using namespace blink;

namespace {
struct TopoListFlags {
  bool json = false;
};
} // namespace

static int run(const TopoListFlags &flags) {
  Progress progress;
  std::vector<ListedMachine> machines;
  for (const MachineType &type : machineTypes()) {
    progress.say(type.name.str());
    Topology topology = type.topology();
    const int numGpus = static_cast<int>(topology.gpus().size());
    llvm::Expected<double> bound = allreduceBound(std::move(topology));
    if (!bound)
      return reportError(bound.takeError());
    machines.push_back(
        {type.name.str(), type.description.str(), numGpus, *bound});
  }
  progress.say("");
  llvm::outs() << (flags.json ? toJson(machines) : toText(machines));
  return kGood;
}

void blink::addTopoListCommand(CLI::App &topo, int &exitCode) {
  auto [command, flags] = addCommand<TopoListFlags>(
      topo, exitCode, "list",
      "List the shipped machine types, whose names can be given for a file",
      run);
  command.add_flag("--json", flags.json, "Report as JSON (docs/cli.md)");
  command.footer("Example:\n"
                 "  blinkc topo list\n"
                 "  blinkc compile dgx-h100 -o allreduce.sched");
}
