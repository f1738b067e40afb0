//===- NodeColors.cpp - nodes and links that look alike -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/symmetry/NodeColors.h"

using namespace blink;

std::vector<NodeProperties> blink::nodeProperties(const Topology &topology) {
  std::vector<NodeProperties> properties;
  for (const Node &node : topology.nodes)
    properties.emplace_back(node.kind, node.multicast, node.reduce);
  return properties;
}

std::vector<LinkProperties> blink::linkProperties(const Topology &topology) {
  std::vector<LinkProperties> properties;
  for (const Link &link : topology.links)
    properties.emplace_back(link.kind, link.bandwidth, link.latency);
  return properties;
}
