//===- ScheduleTopology.cpp - the topology inside a .sched ----------------===//
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
    topology.nodes.push_back(
        {node->id()->str(), node->kind(), node->multicast(), node->reduce()});
  for (const sched::Link *link : *file.topology()->links())
    topology.links.push_back({static_cast<int>(link->from()),
                              static_cast<int>(link->to()), link->bandwidth(),
                              link->latency(), link->kind()});
  return topology;
}
