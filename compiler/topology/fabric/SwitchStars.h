//===- SwitchStars.h - switches that reduce or multicast --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A switch that reduces and multicasts (NVLink SHARP) does so for a group of
// GPUs that are linked to it. Here that group is the whole job: every rank
// contributes, and every rank receives.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_FABRIC_SWITCHSTARS_H
#define BLINK_COMPILER_TOPOLOGY_FABRIC_SWITCHSTARS_H

#include "compiler/topology/fabric/RankTopology.h"

namespace blink {

/// The work that a switch does for a tree in which all other ranks are children
/// of the root, over the switch. See sched::SwitchUse.
struct SwitchUse {
  int toSwitch = -1;   ///< The link from the root to the switch.
  int fromSwitch = -1; ///< The link from the switch to the root.
  bool reduces = false, multicasts = false;

  bool works() const { return reduces || multicasts; }
  bool operator==(const SwitchUse &other) const {
    return toSwitch == other.toSwitch && fromSwitch == other.fromSwitch &&
           reduces == other.reduces && multicasts == other.multicasts;
  }
};

/// A switch with a peer link to and from each rank.
struct SwitchStar {
  int node; ///< Index into Topology::nodes.
  bool reduces, multicasts;
  std::vector<int> toSwitch, fromSwitch; ///< Links, per rank.
};

/// Returns the switches that can work for all ranks, in the order of nodes.
/// Returns none if there is one rank, if there are relays, or if the rank
/// topology is limited to some pairs or phased.
std::vector<SwitchStar> switchStars(const RankTopology &rankTopology);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_FABRIC_SWITCHSTARS_H
