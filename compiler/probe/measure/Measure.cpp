//===- Measure.cpp - measured rates instead of nominal ones ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/probe/measure/Measure.h"

#include "compiler/import/HostGraph.h"
#include "compiler/probe/measure/CudaCopier.h"
#include "compiler/probe/measure/HostCopier.h"
#include "compiler/probe/measure/LinkRates.h"
#include "compiler/support/Error.h"

#include "llvm/ADT/STLExtras.h"

using namespace blink;

using Memories = std::map<int, std::vector<int>>;

/// Takes processor 0 for nodes whose processors the system does not list.
static Memories memoriesOf(const Inventory &inventory) {
  Memories memories;
  for (const NumaNode &node : inventory.numaNodes)
    memories[node.id] =
        node.processors.empty() ? std::vector<int>{0} : node.processors;
  return memories;
}

static llvm::Expected<std::unique_ptr<Copier>>
makeCopier(Inventory &inventory, llvm::StringRef sysfs) {
  Memories memories = memoriesOf(inventory);
  if (inventory.gpus.empty()) {
    if (sysfs != "/sys")
      return makeError(sysfs + ": error: --measure measures this machine, and "
                               "without a GPU nothing tells that it is the one "
                               "of --sysfs");
    std::vector<int> cores;
    for (const HostCores &of : hostCores(inventory))
      llvm::append_range(cores, of.processors);
    return std::make_unique<HostCopier>(std::move(cores), std::move(memories));
  }
  if (llvm::any_of(inventory.gpus, [](const GpuDevice &gpu) {
        return gpu.model && gpu.model->peerKind == LinkKind::xgmi;
      }))
    return makeError("--measure copies by CUDA's driver: AMD's GPUs have "
                     "nominal rates only");
  auto copier = CudaCopier::create(inventory, memories);
  if (!copier)
    return copier.takeError();
  return std::unique_ptr<Copier>(std::move(*copier));
}

llvm::Expected<Measurement> blink::measureMachine(const Topology &nominal,
                                                  Inventory &inventory,
                                                  llvm::StringRef sysfs,
                                                  MeasureWatcher watcher) {
  if (llvm::Error error = expectQuiet(sysfs, inventory))
    return error;
  auto copier = makeCopier(inventory, sysfs);
  if (!copier)
    return copier.takeError();
  MeasurePlan plan = inventory.gpus.empty() ? planHostRuns(nominal, **copier)
                                            : planGpuRuns(nominal, **copier);
  if (plan.runs.empty())
    return makeError(sysfs + ": error: nothing to measure: no two of the "
                             "machine's memories can be copied between");
  std::vector<RunRates> runs;
  for (const Run &run : plan.runs) {
    watcher(runs.size(), plan.runs.size());
    llvm::Expected<RunRates> rates = measureRun(**copier, nominal, plan, run);
    if (!rates)
      return rates.takeError();
    runs.push_back(std::move(*rates));
  }
  std::vector<LinkRate> rates = linkRates(nominal, plan, runs);
  Measurement measurement = {
      nominal,
      llvm::formatv("{0}; blocks of {1} MiB, medians of {2} rounds, "
                    "spread without the fastest and the slowest one",
                    (*copier)->describe(), (*copier)->blockBytes() >> 20,
                    kMeasuredRounds),
      describe(nominal, rates)};
  for (auto [link, rate] : llvm::zip_equal(measurement.topology.links, rates))
    link.bandwidth =
        rate.source == LinkRate::notMeasured ? link.bandwidth : rate.bandwidth;
  return measurement;
}
