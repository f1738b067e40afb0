//===- HostMachine.cpp - a machine without a GPU --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/probe/HostMachine.h"

#include "compiler/probe/SystemFiles.h"
#include "compiler/probe/measure/HostCopier.h"
#include "compiler/probe/measure/Sampling.h"
#include "compiler/support/Error.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace blink;

static constexpr int kMostCores = 4;
static constexpr double kPlannedRate = 10; // GB/s of a core

std::vector<std::vector<int>> blink::hostCores(llvm::StringRef sysfs,
                                               const Inventory &inventory) {
  std::vector<std::vector<int>> cores;
  for (const NumaNode &node : inventory.numaNodes) {
    cores.push_back(processorsOf(sysfs, node.id));
    if (cores.back().size() > kMostCores)
      cores.back().resize(kMostCores);
  }
  return cores;
}

/// GB/s that each of these processors copies while all do: of the slowest, the
/// best of some rounds. 0 if this process may not run on them.
static double copyRate(const std::vector<int> &processors) {
  constexpr int kRounds = 2, kBlocks = 4, kHere = 0;
  HostCopier copier(processors, {{kHere, processors}});
  std::vector<CopyWork> works;
  for (size_t core = 0; core < processors.size(); ++core) {
    works.push_back(
        {{Place::gpu, static_cast<int>(core)}, {Place::numa, kHere}, kBlocks});
    if (!copier.canCopy(works.back().from, works.back().to))
      return 0;
  }
  double best = 0;
  for (int round = 0; round < kRounds && !works.empty(); ++round) {
    auto ends = copier.copy(works);
    if (!ends) {
      llvm::consumeError(ends.takeError());
      return 0;
    }
    std::vector<double> rates = ratesTogether(*ends, copier.blockBytes());
    best = std::max(best, *llvm::min_element(rates));
  }
  // A tenth of a GB/s is more than measurements repeat.
  return std::round(best * 10) / 10;
}

llvm::Expected<Topology> blink::hostMachine(llvm::StringRef sysfs,
                                            Inventory &inventory,
                                            RateSource source, bool isBrief) {
  Topology topology;
  topology.name = inventory.name;
  auto addNode = [&](const std::string &id, NodeKind kind) {
    topology.nodes.push_back({id, kind});
    return static_cast<int>(topology.nodes.size()) - 1;
  };
  auto join = [&](int a, int b, double bandwidth, double latency) {
    topology.links.push_back({a, b, bandwidth, latency, LinkKind::host});
    topology.links.push_back({b, a, bandwidth, latency, LinkKind::host});
  };
  constexpr double kCoreLatency = 0.2;

  const std::vector<std::vector<int>> cores = hostCores(sysfs, inventory);
  int ranks = 0;
  for (const std::vector<int> &ofNode : cores)
    for (size_t core = 0; core < ofNode.size(); ++core)
      addNode("core" + std::to_string(ranks++), NodeKind::gpu);
  if (ranks == 0)
    return makeError(sysfs + ": error: no processor in devices/system/node");
  int rank = 0;
  std::vector<int> nodes;
  for (size_t i = 0; i < cores.size(); ++i) {
    int id = inventory.numaNodes[i].id;
    int node = addNode("cpu" + std::to_string(id), NodeKind::cpu);
    double rate = isBrief && sysfs == "/sys" ? copyRate(cores[i]) : 0;
    std::string where =
        (sysfs + "/devices/system/node/node" + llvm::Twine(id)).str();
    if (rate > 0)
      inventory.notes.guess(
          where, readable(rate) + " GB/s a core: measured, while " +
                     llvm::Twine(cores[i].size()) + " cores copied at once");
    else
      inventory.notes.guess(where, readable(rate = kPlannedRate) +
                                       " GB/s a core: a planning figure");
    for (size_t core = 0; core < cores[i].size(); ++core)
      join(rank++, node, rate, kCoreLatency);
    for (int other : nodes) {
      HostRate between = hostRate(inventory.numaNodes[i].cpu, source);
      join(other, node, between.bandwidth, kHostLatency);
    }
    nodes.push_back(node);
  }
  topology.description = "No GPU: " + std::to_string(ranks) +
                         " ranks on the cores of " +
                         std::to_string(cores.size()) + " NUMA nodes";
  return topology;
}
