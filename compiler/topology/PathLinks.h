//===- PathLinks.h - links that a schedule could use ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_PATHLINKS_H
#define BLINK_COMPILER_TOPOLOGY_PATHLINKS_H

#include "compiler/topology/Fabric.h"

namespace blink {

/// The links of the drivable paths of a fabric (see Fabric) that do not go in
/// circles: a switch or cpu that leads nowhere but back is on none. What is not
/// here can break, and no schedule is the worse for it.
///
/// Two disjoint ways, from a GPU to the link and from the link to another GPU,
/// are sought as a flow of two units. So none is missed; a link in a ring of
/// relays beside the path can be in the set though no path uses it. With relay
/// GPUs, paths between them count, too.
///
/// Holds a reference to the fabric.
class PathLinks {
public:
  explicit PathLinks(const Fabric &fabric);

  /// `link` indexes Topology::links.
  bool contains(int link) const;

private:
  bool mayEnd(int source, int node, int layer) const;
  bool isOnPathFrom(int source, int link) const;
  bool areDisjoint(int source, int before, int after) const;

  const Fabric &fabric_;
  int numEnds_;                            // ranks and relays
  std::vector<std::vector<int>> outLinks_; // per node: usable links leaving it
  std::vector<int> endAt_;                 // per node: rank, relay or -1
  // Per rank and relay, per state (node * numPathLayers + layer) of a node that
  // only relays: whether a path from there reaches it.
  std::vector<std::vector<bool>> reaches_;
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_PATHLINKS_H
