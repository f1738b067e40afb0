//===- NodeColors.cpp - nodes and links that look alike -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/symmetry/NodeColors.h"

#include <tuple>

using namespace blink;

std::vector<int> blink::nodeColors(const Topology &topology) {
  std::vector<std::tuple<NodeKind, bool, bool>> looks;
  for (const Node &node : topology.nodes)
    looks.emplace_back(node.kind, node.multicast, node.reduce);
  return numberDistinct(looks);
}

std::vector<int> blink::linkColors(const Topology &topology) {
  std::vector<std::tuple<LinkKind, double, double>> looks;
  for (const Link &link : topology.links)
    looks.emplace_back(link.kind, link.bandwidth, link.latency);
  return numberDistinct(looks);
}
