//===- FabricLinks.cpp - links between switches ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/fabric/FabricLinks.h"

using namespace blink;

std::vector<int> blink::fabricLinks(const Topology &topology) {
  std::vector<int> links;
  for (size_t index = 0; index < topology.links.size(); ++index) {
    const Link &link = topology.links[index];
    const NodeKind from = topology.nodes[link.from].kind;
    if (from == topology.nodes[link.to].kind &&
        (from == NodeKind::switch_ || from == NodeKind::nic))
      links.push_back(static_cast<int>(index));
  }
  return links;
}
