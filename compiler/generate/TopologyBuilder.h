//===- TopologyBuilder.h - a topology node by node --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_GENERATE_TOPOLOGYBUILDER_H
#define BLINK_COMPILER_GENERATE_TOPOLOGYBUILDER_H

#include "compiler/generate/Generate.h"
#include "compiler/support/Error.h"
#include "compiler/topology/fabric/RankTopology.h"
#include "schedules/MachineLimits.h"

namespace blink {

class TopologyBuilder {
public:
  /// Starts with this number of GPUs.
  TopologyBuilder(std::string name, int gpus) {
    topology_.name = std::move(name);
    for (int gpu = 0; gpu < gpus; ++gpu)
      addNode({"", NodeKind::gpu}, "gpu" + std::to_string(gpu));
  }

  /// Adds a node where wires of this kind meet.
  int addSwitch(const Wire &wire, std::string id) {
    bool network = wire.kind == LinkKind::network;
    return addNode({"", network ? NodeKind::nic : NodeKind::switch_},
                   std::move(id));
  }
  /// Adds a copy of `node` with another id.
  int addNode(Node node, std::string id) {
    node.id = std::move(id);
    topology_.nodes.push_back(std::move(node));
    return static_cast<int>(topology_.nodes.size()) - 1;
  }
  void addArc(int from, int to, const Wire &wire) {
    topology_.links.push_back(
        {from, to, wire.bandwidth, wire.latency, wire.kind});
  }
  void join(int a, int b, const Wire &wire) {
    addArc(a, b, wire);
    addArc(b, a, wire);
  }

  llvm::Expected<Topology> take(std::string description) {
    topology_.description = std::move(description);
    if (llvm::Error error = topology_.check())
      return error;
    return std::move(topology_);
  }

private:
  Topology topology_;
};

/// Returns an error unless Blink can work with this number of GPUs.
inline llvm::Error checkGpus(double gpus) {
  if (gpus >= 1 && gpus <= RankTopology::kMaxRanks)
    return llvm::Error::success();
  return makeError("{0} GPUs: expected 1 to {1}",
                   llvm::formatv("{0:F0}", gpus).str(),
                   RankTopology::kMaxRanks);
}

/// Returns an error if a topology cannot have this number of directed links.
/// Ask before building, for generators whose links grow with the square of
/// their arguments.
inline llvm::Error checkLinks(double links) {
  if (links <= double(sched::kMostLinks))
    return llvm::Error::success();
  return makeError("{0} links; a machine has at most {1}",
                   llvm::formatv("{0:F0}", links).str(), sched::kMostLinks);
}

} // namespace blink

#endif // BLINK_COMPILER_GENERATE_TOPOLOGYBUILDER_H
