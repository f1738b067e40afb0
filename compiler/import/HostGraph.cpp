//===- HostGraph.cpp - the topology of a machine without a GPU ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/HostGraph.h"

#include "compiler/support/Error.h"
#include "compiler/support/Numbers.h"
#include "compiler/topology/fabric/RankTopology.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <set>

using namespace blink;

static constexpr double kPlannedRate = 10; // GB/s of a core
static constexpr double kCoreLatency = 0.2;

std::vector<HostCores> blink::hostCores(const Inventory &inventory) {
  constexpr size_t kMostCores = 4;
  std::set<int> taken;
  std::vector<HostCores> cores;
  for (size_t place = 0; place < inventory.numaNodes.size(); ++place) {
    const std::vector<int> &all = inventory.numaNodes[place].processors;
    const size_t before = taken.size();
    taken.insert(all.begin(), all.end());
    if (taken.size() > before)
      cores.push_back(
          {place,
           {all.begin(), all.begin() + std::min(all.size(), kMostCores)}});
  }
  return cores;
}

llvm::Expected<Topology> blink::hostGraph(Inventory &inventory,
                                          RateSource source) {
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

  const std::vector<HostCores> allCores = hostCores(inventory);
  size_t ranks = 0;
  for (const HostCores &of : allCores)
    ranks += of.processors.size();
  if (ranks == 0)
    return makeError(inventory.where +
                     ": error: neither GPUs nor processors "
                     "in this " +
                     inventory.source);
  if (ranks > size_t(RankTopology::kMostPaired))
    return makeError("{0}: error: {1} NUMA nodes: {2} ranks, four a node, are "
                     "more than the {3} that a topology may have",
                     inventory.where, allCores.size(), ranks,
                     RankTopology::kMostPaired);
  for (size_t rank = 0; rank < ranks; ++rank)
    addNode("core" + std::to_string(rank), NodeKind::gpu);

  int rank = 0;
  std::vector<int> before;
  for (const HostCores &of : allCores) {
    const NumaNode &numaNode = inventory.numaNodes[of.numaNode];
    int node = addNode("cpu" + std::to_string(numaNode.id), NodeKind::cpu);
    const size_t cores = of.processors.size();
    const bool isMeasured = numaNode.coreRate > 0;
    const double rate = isMeasured ? numaNode.coreRate : kPlannedRate;
    std::string reason = "a planning figure";
    if (isMeasured)
      reason = llvm::formatv("measured, while {0} cores copied at once", cores);
    inventory.notes.guess(inventory.where, "node" + llvm::Twine(numaNode.id) +
                                               ": " + readable(rate) +
                                               " GB/s a core: " + reason);
    for (size_t core = 0; core < cores; ++core)
      join(rank++, node, rate, kCoreLatency);
    const HostRate between = hostRate(numaNode.cpu, source);
    for (int other : before)
      join(other, node, between.bandwidth, kHostLatency);
    if (before.size() == 1)
      inventory.notes.guess(inventory.where, "between NUMA nodes " +
                                                 readable(between.bandwidth) +
                                                 " GB/s: " + between.reason);
    before.push_back(node);
  }
  auto counted = [](size_t count, const char *what) {
    return std::to_string(count) + what + (count == 1 ? "" : "s");
  };
  topology.description = "No GPU: " + counted(ranks, " rank") +
                         " on the cores of " +
                         counted(allCores.size(), " NUMA node");
  if (llvm::Error error = topology.check())
    return makeError(inventory.where +
                     ": error: " + llvm::toString(std::move(error)));
  return topology;
}
