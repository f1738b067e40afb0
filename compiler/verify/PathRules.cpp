//===- PathRules.cpp - which paths the runtime can drive ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Walks each channel's path node by node.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/PathRules.h"

namespace blink::verify {

using sched::ChannelKind;
using sched::LinkKind;
using sched::NodeKind;

bool isPeerFabric(LinkKind kind) {
  return kind == LinkKind::nvlink || kind == LinkKind::xgmi ||
         kind == LinkKind::c2c;
}

Machine::Machine(const sched::Schedule &file, const sched::Program &program)
    : Machine(file, std::vector<uint32_t>()) {
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

Machine::Machine(const sched::Schedule &file, const std::vector<uint32_t> &gpus,
                 const FailedLinks &failed)
    : topology_(*file.topology()), failed_(failed),
      linkKinds_(file.link_kinds()),
      numRanks_(static_cast<uint32_t>(gpus.size())), nodes_(gpus),
      linksFrom_(numNodes()), fabricNeighbours_(numNodes()) {
  for (uint32_t index = 0; index < numLinks(); ++index) {
    if (failed_.contains(link(index)))
      continue;
    linksFrom_[link(index).from()].push_back(index);
    if (!isPeerFabric(link(index).kind()))
      continue;
    fabricNeighbours_[link(index).from()].push_back(link(index).to());
    fabricNeighbours_[link(index).to()].push_back(link(index).from());
  }
}

bool Machine::usable(uint32_t index) const {
  return (linkKinds_ >> static_cast<unsigned>(link(index).kind()) & 1) &&
         !failed_.contains(link(index));
}

std::vector<bool> Machine::peersOf(uint32_t gpu) const {
  std::vector<bool> reached(numNodes(), false);
  std::vector<uint32_t> pending = {gpu};
  while (!pending.empty()) {
    const uint32_t node = pending.back();
    pending.pop_back();
    for (uint32_t next : fabricNeighbours_[node]) {
      if (reached[next])
        continue;
      reached[next] = true;
      if (kindOf(next) == NodeKind::switch_)
        pending.push_back(next);
    }
  }
  return reached;
}

std::string Machine::describe(uint32_t index) const {
  return topology_.nodes()->Get(link(index).from())->id()->str() + " -> " +
         topology_.nodes()->Get(link(index).to())->id()->str() + " (" +
         sched::EnumNameLinkKind(link(index).kind()) + ")";
}

Problem checkPath(const Machine &machine, const sched::Channel &channel,
                  const std::vector<uint32_t> &path) {
  const uint32_t target = machine.nodeOf(channel.destination());
  uint32_t node = machine.nodeOf(channel.source());
  bool crossesCpu = false, crossesNic = false, fabricOnly = true;
  for (size_t hop = 0; hop < path.size(); ++hop) {
    const uint32_t index = path[hop];
    const sched::Link &link = machine.link(index);
    const std::string place =
        "link " + std::to_string(index) + ", " + machine.describe(index) + ", ";
    if (!machine.usable(index))
      return place + "is of a kind that the file's options exclude";
    if (link.from() != node)
      return place + "does not go on from where the path has come to";
    if (hop > 0 && machine.kindOf(node) == NodeKind::gpu)
      return place + "leaves a GPU on the way; GPUs never relay";
    crossesCpu |= machine.kindOf(node) == NodeKind::cpu;
    crossesNic |= machine.kindOf(node) == NodeKind::nic;
    fabricOnly &= isPeerFabric(link.kind());
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
  if (kind == ChannelKind::peer && !fabricOnly &&
      machine.peersOf(machine.nodeOf(channel.source()))[target])
    return "the path leaves the fabric that joins the two GPUs, over which "
           "alone they reach each other's memory";
  return std::nullopt;
}

Problem checkPaths(const Machine &machine, const sched::Variant &variant) {
  for (uint32_t i = 0; i < variant.channels()->size(); ++i) {
    const sched::Channel &channel = *variant.channels()->Get(i);
    const uint32_t *links = variant.paths()->data() + channel.path_begin();
    if (Problem problem =
            checkPath(machine, channel, {links, links + channel.path_count()}))
      return "channel " + std::to_string(i) + " from rank " +
             std::to_string(channel.source()) + " to rank " +
             std::to_string(channel.destination()) + ": " + *problem;
  }
  return std::nullopt;
}

} // namespace blink::verify
