//===- Probe.cpp - the topology of this machine ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/probe/Probe.h"

#include "compiler/import/HostGraph.h"
#include "compiler/import/MachineGraph.h"
#include "compiler/probe/HostMachine.h"
#include "compiler/probe/Nvml.h"
#include "compiler/probe/SystemFiles.h"

#include "llvm/ADT/STLExtras.h"

#include <unistd.h>

using namespace blink;

static std::string hostName() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 && name[0] ? name : "machine";
}

llvm::Expected<ProbedMachine> blink::probeMachine(const ProbeOptions &options) {
  Inventory inventory;
  inventory.name = options.sysfs == "/sys" ? hostName() : "probed";
  inventory.source = "probe of " + options.sysfs;
  inventory.where = options.sysfs;
  if (llvm::Error error = readSystemFiles(options.sysfs, inventory))
    return error;
  bool ofNvidia = llvm::any_of(inventory.gpus, [](const GpuDevice &gpu) {
    return !gpu.model || gpu.model->peerKind == LinkKind::nvlink;
  });
  if (ofNvidia && !askNvml(inventory))
    inventory.notes.warn("NVML", "no libnvidia-ml.so.1: models are taken from "
                                 "PCI ids, and NVLinks are not seen");
  if (inventory.gpus.empty() && options.sysfs == "/sys" && !options.measure)
    measureCores(inventory);
  llvm::Expected<Topology> topology =
      inventory.gpus.empty() ? hostGraph(inventory, options.rates)
                             : machineGraph(inventory, options.rates);
  if (!topology)
    return topology.takeError();
  std::optional<Measurement> measurement;
  if (options.measure) {
    llvm::Expected<Measurement> measured =
        measureMachine(*topology, inventory, options.sysfs, options.watcher);
    if (!measured)
      return measured.takeError();
    measurement = std::move(*measured);
  }
  std::string matrix = inventory.gpus.empty() ? "" : topoMatrix(inventory);
  return ProbedMachine{
      {std::move(*topology), inventory.source, std::move(inventory.notes)},
      std::move(measurement),
      std::move(matrix)};
}
