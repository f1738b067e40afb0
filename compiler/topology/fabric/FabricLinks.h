//===- FabricLinks.h - links between switches -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_FABRIC_FABRICLINKS_H
#define BLINK_COMPILER_TOPOLOGY_FABRIC_FABRICLINKS_H

#include "compiler/topology/Topology.h"

namespace blink {

/// Returns the links of a fabric, ascending: links from switch to switch, and
/// links from nic to nic, where the cables of a network meet, as in a fat tree
/// or a dragonfly. Without such links, pairs of ranks rarely have more than one
/// shortest path.
std::vector<int> fabricLinks(const Topology &topology);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_FABRIC_FABRICLINKS_H
