//===- FabricLinks.h - links between switches -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_FABRIC_FABRICLINKS_H
#define BLINK_COMPILER_TOPOLOGY_FABRIC_FABRICLINKS_H

#include "compiler/topology/Topology.h"

namespace blink {

/// The links of a fabric, ascending: from a switch to a switch, or from one
/// place where cables of a network meet to another, as in a fat tree or a
/// dragonfly. Elsewhere ranks have hardly more than one shortest path.
std::vector<int> fabricLinks(const Topology &topology);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_FABRIC_FABRICLINKS_H
