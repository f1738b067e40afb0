//===- PathLayers.h - layers of the path search -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Searches for drivable paths run over a layered graph: each transit node has
// one copy per layer, and the layer says which links and nodes the path has
// crossed so far.
//
//     peer     nvlink, xgmi and c2c links only
//     pcie     some other link too, but no cpu and no nic
//     host     a cpu or a nic
//
//     peer --other link--> pcie --cpu, nic--> host
//        \_______________cpu, nic_____________/^
//
// Between peer-joined GPUs no path may end in layer `pcie`.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_FABRIC_PATHLAYERS_H
#define BLINK_COMPILER_TOPOLOGY_FABRIC_PATHLAYERS_H

#include "compiler/topology/fabric/RankTopology.h"

namespace blink {

enum PathLayer { peerLayer, pcieLayer, hostLayer, numPathLayers };
inline constexpr PathLayer kPathLayers[] = {peerLayer, pcieLayer, hostLayer};

/// Returns the layer of a path that was in `layer` and continues over a link of
/// kind `link` to a node of kind `to`.
inline PathLayer layerAfter(PathLayer layer, LinkKind link, NodeKind to) {
  if (to == NodeKind::cpu || to == NodeKind::nic)
    return hostLayer;
  return layer == peerLayer && !isPeerLink(link) ? pcieLayer : layer;
}

/// Returns the same for `link` of `topology`.
inline PathLayer nextLayer(const Topology &topology, PathLayer layer,
                           const Link &link) {
  return layerAfter(layer, link.kind, topology.nodes[link.to].kind);
}

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_FABRIC_PATHLAYERS_H
