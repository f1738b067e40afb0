//===- NodeColors.cpp - nodes and links that look alike -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/symmetry/NodeColors.h"

#include <tuple>

using namespace blink;

std::vector<int> blink::nodeColors(const Topology &topology) {
  std::vector<std::tuple<NodeKind, bool, bool>> properties;
  for (const Node &node : topology.nodes)
    properties.emplace_back(node.kind, node.multicast, node.reduce);
  return numberDistinct(properties);
}

std::vector<int> blink::linkColors(const Topology &topology) {
  std::vector<std::tuple<LinkKind, double, double>> properties;
  for (const Link &link : topology.links)
    properties.emplace_back(link.kind, link.bandwidth, link.latency);
  return numberDistinct(properties);
}
