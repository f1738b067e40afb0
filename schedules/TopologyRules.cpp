//===- TopologyRules.cpp - the rules of a topology ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/TopologyRules.h"

#include "schedules/CheckRules.h"
#include "schedules/MachineLimits.h"

namespace blink::sched {

/// Pays for an id or a name, which may be copied later.
static std::string wrongWith(const char *field, const flatbuffers::String *text,
                             ReadBudget &budget) {
  if (text->size() > kMostNameBytes)
    return textOf(field, ": ", text->size(), " bytes, expected at most ",
                  kMostNameBytes);
  if (const char *wrong = budget.pay(text))
    return textOf(field, ": ", wrong);
  return {};
}

static std::string wrongWith(const Node &node) {
  if (!known(node.kind()))
    return unknown("node kind", node.kind());
  if (!node.device())
    return {};
  if (node.kind() != NodeKind::nic)
    return "has a device and is not a nic; only nics have one";
  return node.device()->size() == 0 ? "a device without a name" : "";
}

static std::string wrongWith(const Link &link, size_t numNodes) {
  if (link.from() >= numNodes)
    return outOf("node", link.from(), numNodes);
  if (link.to() >= numNodes)
    return outOf("node", link.to(), numNodes);
  if (link.from() == link.to())
    return textOf("joins node ", link.from(), " with itself");
  if (!isBandwidth(link.bandwidth()))
    return textOf("bandwidth is not ", kBandwidthRange);
  if (!isLatency(link.latency()))
    return textOf("latency is not ", kLatencyRange);
  return known(link.kind()) ? "" : unknown("link kind", link.kind());
}

std::string checkTopologyRules(const Topology &topology, ReadBudget &budget) {
  const auto &nodes = *topology.nodes();
  const auto &links = *topology.links();
  if (const char *wrong = budget.pay(&nodes))
    return textOf("topology.nodes: ", wrong);
  if (const char *wrong = budget.pay(&links))
    return textOf("topology.links: ", wrong);
  if (nodes.size() > kMostNodes)
    return textOf("topology.nodes: ", nodes.size(), ", expected at most ",
                  kMostNodes);
  if (links.size() > kMostLinks)
    return textOf("topology.links: ", links.size(), ", expected at most ",
                  kMostLinks);
  if (std::string wrong = wrongWith("topology.name", topology.name(), budget);
      !wrong.empty())
    return wrong;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    std::string wrong = wrongWith("id", nodes[i]->id(), budget);
    if (wrong.empty() && nodes[i]->device())
      wrong = wrongWith("device", nodes[i]->device(), budget);
    if (!wrong.empty())
      return textOf(at("topology.nodes", i), ".", wrong);
    if (wrong = wrongWith(*nodes[i]); !wrong.empty())
      return textOf(at("topology.nodes", i), ": ", wrong);
  }
  for (uint32_t i = 0; i < links.size(); ++i)
    if (std::string wrong = wrongWith(*links[i], nodes.size()); !wrong.empty())
      return textOf(at("topology.links", i), ": ", wrong);
  return {};
}

} // namespace blink::sched
