//===- ScheduleTopology.cpp - the topology of a .sched file ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/ScheduleTopology.h"

using namespace blink;

Topology blink::topologyOf(const sched::Schedule &file) {
  Topology topology;
  topology.name = file.topology()->name()->str();
  for (const sched::Node *node : *file.topology()->nodes())
    topology.nodes.push_back({node->id()->str(), node->kind(),
                              node->multicast(), node->reduce(),
                              flatbuffers::GetString(node->device())});
  for (const sched::Link *link : *file.topology()->links())
    topology.links.push_back({static_cast<int>(link->from()),
                              static_cast<int>(link->to()), link->bandwidth(),
                              link->latency(), link->kind()});
  return topology;
}

llvm::Expected<RankTopology>
blink::rankTopologyOf(const sched::Schedule &file,
                      const sched::Program &program) {
  return RankTopology::create(
      topologyOf(file),
      {program.allocation()->begin(), program.allocation()->end()},
      LinkKindSet(file.link_kinds()));
}

flatbuffers::Offset<sched::Topology>
blink::writeTopology(flatbuffers::FlatBufferBuilder &builder,
                     const Topology &topology) {
  // One statement per offset, because the order of the calls is that of the
  // file, as in ScheduleCopy.cpp.
  std::vector<flatbuffers::Offset<sched::Node>> nodes;
  for (const Node &node : topology.nodes) {
    flatbuffers::Offset<flatbuffers::String> device;
    if (!node.device.empty())
      device = builder.CreateString(node.device);
    const auto id = builder.CreateString(node.id);
    nodes.push_back(sched::CreateNode(builder, id, node.kind, node.multicast,
                                      node.reduce, device));
  }
  std::vector<sched::Link> links;
  for (const Link &link : topology.links)
    links.emplace_back(link.bandwidth, link.latency,
                       static_cast<uint32_t>(link.from),
                       static_cast<uint32_t>(link.to), link.kind);
  const auto allLinks = builder.CreateVectorOfStructs(links);
  const auto allNodes = builder.CreateVector(nodes);
  const auto name = builder.CreateString(topology.name);
  return sched::CreateTopology(builder, name, topology.fingerprint(), allNodes,
                               allLinks);
}
