//===- PathRules.cpp - which paths the runtime can drive ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Walks each channel's path node by node.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/PathRules.h"

#include <algorithm>
#include <numeric>

namespace blink::verify {

using sched::ChannelKind;
using sched::LinkKind;
using sched::NodeKind;

bool isPeerLink(LinkKind kind) {
  return kind == LinkKind::nvlink || kind == LinkKind::xgmi ||
         kind == LinkKind::c2c;
}

TopologyView::TopologyView(const sched::Schedule &file,
                           const sched::Program &program)
    : TopologyView(file, std::vector<uint32_t>()) {
  std::vector<uint32_t> gpus;
  for (uint32_t node = 0; node < numNodes(); ++node)
    if (kindOf(node) == NodeKind::gpu)
      gpus.push_back(node);
  for (uint16_t gpu : *program.allocation())
    nodes_.push_back(gpus[gpu]);
  numRanks_ = static_cast<uint32_t>(nodes_.size());
  if (program.relays())
    for (uint16_t gpu : *program.relays())
      nodes_.push_back(gpus[gpu]);
}

TopologyView::TopologyView(const sched::Schedule &file,
                           std::vector<uint32_t> gpus,
                           const FailedLinks &failed)
    : TopologyView(*file.topology(), file.link_kinds(), std::move(gpus),
                   failed) {}

TopologyView::TopologyView(const sched::Topology &topology, uint8_t linkKinds,
                           std::vector<uint32_t> gpus,
                           const FailedLinks &failed)
    : topology_(topology), failed_(failed), linkKinds_(linkKinds),
      numRanks_(static_cast<uint32_t>(gpus.size())), nodes_(std::move(gpus)),
      graph_(std::make_shared<Graph>(makeGraph(topology_, failed))) {}

TopologyView TopologyView::on(std::vector<uint32_t> gpus) const {
  TopologyView machine = *this;
  machine.numRanks_ = static_cast<uint32_t>(gpus.size());
  machine.nodes_ = std::move(gpus);
  return machine;
}

TopologyView::Graph TopologyView::makeGraph(const sched::Topology &topology,
                                            const FailedLinks &failed) {
  Graph graph;
  const uint32_t numNodes = topology.nodes()->size();
  for (const sched::Node *node : *topology.nodes())
    graph.kinds.push_back(node->kind());
  graph.linksFrom.resize(numNodes);
  std::vector<std::vector<uint32_t>> neighbours(numNodes);
  for (uint32_t index = 0; index < topology.links()->size(); ++index) {
    const sched::Link &link = *topology.links()->Get(index);
    if (failed.contains(link))
      continue;
    graph.linksFrom[link.from()].push_back(index);
    if (!isPeerLink(link.kind()))
      continue;
    neighbours[link.from()].push_back(link.to());
    neighbours[link.to()].push_back(link.from());
  }
  // Switches get the number of their group; other nodes keep their own numbers.
  std::vector<uint32_t> names(numNodes);
  std::iota(names.begin(), names.end(), 0);
  uint32_t numGroups = 0;
  for (uint32_t first = 0; first < numNodes; ++first) {
    if (graph.kinds[first] != NodeKind::switch_ || names[first] != first)
      continue;
    const uint32_t group = numNodes + numGroups++;
    names[first] = group;
    std::vector<uint32_t> pending = {first};
    while (!pending.empty()) {
      const uint32_t node = pending.back();
      pending.pop_back();
      for (uint32_t next : neighbours[node])
        if (graph.kinds[next] == NodeKind::switch_ && names[next] != group) {
          names[next] = group;
          pending.push_back(next);
        }
    }
  }
  for (std::vector<uint32_t> &own : neighbours) {
    for (uint32_t &node : own)
      node = names[node];
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
  }
  graph.peerSets = std::move(neighbours);
  return graph;
}

bool TopologyView::usable(uint32_t index) const {
  return (linkKinds_ >> static_cast<unsigned>(link(index).kind()) & 1) &&
         !failed_.contains(link(index));
}

bool TopologyView::arePeers(uint32_t a, uint32_t b) const {
  const std::vector<uint32_t> &left = graph_->peerSets[a];
  const std::vector<uint32_t> &right = graph_->peerSets[b];
  if (std::binary_search(left.begin(), left.end(), b))
    return true;
  // Look for a group of switches that both have; groups have the largest
  // numbers.
  auto i = left.rbegin(), j = right.rbegin();
  while (i != left.rend() && j != right.rend() &&
         std::min(*i, *j) >= numNodes()) {
    if (*i == *j)
      return true;
    *i > *j ? ++i : ++j;
  }
  return false;
}

std::string TopologyView::describe(uint32_t index) const {
  return topology_.nodes()->Get(link(index).from())->id()->str() + " -> " +
         topology_.nodes()->Get(link(index).to())->id()->str() + " (" +
         sched::EnumNameLinkKind(link(index).kind()) + ")";
}

Failure checkPath(const TopologyView &machine, const sched::Channel &channel,
                  const std::vector<uint32_t> &path) {
  const uint32_t target = machine.nodeOf(channel.destination());
  uint32_t node = machine.nodeOf(channel.source());
  bool crossesCpu = false, crossesNic = false, peerOnly = true;
  for (size_t hop = 0; hop < path.size(); ++hop) {
    const uint32_t index = path[hop];
    const sched::Link &link = machine.link(index);
    const auto wrong = [&](const char *what) {
      return "link " + std::to_string(index) + ", " + machine.describe(index) +
             ", " + what;
    };
    if (!machine.usable(index))
      return wrong("is of a kind that the file's options exclude");
    if (link.from() != node)
      return wrong("does not go on from where the path has come to");
    if (hop > 0 && machine.kindOf(node) == NodeKind::gpu)
      return wrong("leaves a GPU on the way; GPUs never relay");
    crossesCpu |= machine.kindOf(node) == NodeKind::cpu;
    crossesNic |= machine.kindOf(node) == NodeKind::nic;
    peerOnly &= isPeerLink(link.kind());
    node = link.to();
  }
  if (path.empty())
    return "the path is empty";
  if (node != target)
    return "the path does not end at the GPU of its destination";

  const ChannelKind kind = crossesNic   ? ChannelKind::network
                           : crossesCpu ? ChannelKind::staged
                                        : ChannelKind::peer;
  if (channel.kind() != kind)
    return std::string("the channel is of kind ") +
           sched::EnumNameChannelKind(channel.kind()) + ", but its path is " +
           sched::EnumNameChannelKind(kind);
  if (kind == ChannelKind::peer && !peerOnly &&
      machine.arePeers(machine.nodeOf(channel.source()), target))
    return "the path leaves the fabric that joins the two GPUs, over which "
           "alone they reach each other's memory";
  return std::nullopt;
}

/// Checks the links between the root of a tree and the switch that works for
/// it. Those of other ranks are on the paths of their channels.
static Failure checkSwitch(const TopologyView &machine,
                           const sched::SwitchUse &use) {
  for (uint32_t index : {use.to_switch(), use.from_switch()}) {
    const bool usable = machine.usable(index);
    if (usable && isPeerLink(machine.link(index).kind()))
      continue;
    return "tree " + std::to_string(use.tree()) + ": link " +
           std::to_string(index) + ", " + machine.describe(index) +
           ", between the root and the switch that works for it, " +
           (usable ? "is no peer link"
                   : "is of a kind that the file's options exclude");
  }
  return std::nullopt;
}

Failure checkPaths(const TopologyView &machine, const sched::Variant &variant) {
  for (uint32_t i = 0; i < variant.channels()->size(); ++i) {
    const sched::Channel &channel = *variant.channels()->Get(i);
    const uint32_t *links = variant.paths()->data() + channel.path_begin();
    if (Failure problem =
            checkPath(machine, channel, {links, links + channel.path_count()}))
      return "channel " + std::to_string(i) + " from rank " +
             std::to_string(channel.source()) + " to rank " +
             std::to_string(channel.destination()) + ": " + *problem;
  }
  if (variant.switches())
    for (const sched::SwitchUse *use : *variant.switches())
      if (Failure problem = checkSwitch(machine, *use))
        return problem;
  return std::nullopt;
}

} // namespace blink::verify
