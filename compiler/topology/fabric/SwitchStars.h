//===- SwitchStars.h - switches that work for all ranks ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A switch that reduces and multicasts (NVLink SHARP) does so for a group of
// GPUs that are linked with it. Here that group is the whole job: every rank
// gives, and every rank gets.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_FABRIC_SWITCHSTARS_H
#define BLINK_COMPILER_TOPOLOGY_FABRIC_SWITCHSTARS_H

#include "compiler/topology/fabric/RankTopology.h"

namespace blink {

/// What a switch does for a tree, of which all ranks but the root are children
/// of the root, over it: see sched::SwitchUse.
struct SwitchUse {
  int toSwitch = -1;   ///< the link from the root to the switch
  int fromSwitch = -1; ///< and back
  bool reduces = false, multicasts = false;

  bool works() const { return reduces || multicasts; }
  bool operator==(const SwitchUse &other) const {
    return toSwitch == other.toSwitch && fromSwitch == other.fromSwitch &&
           reduces == other.reduces && multicasts == other.multicasts;
  }
};

/// A switch with a peer link to and from each rank.
struct SwitchStar {
  int node; ///< of the topology
  bool reduces, multicasts;
  std::vector<int> toSwitch, fromSwitch; ///< per rank, links
};

/// The switches that could work for all ranks, in the order of nodes. None for
/// one rank, and where relays forward or pairs of ranks are left out.
std::vector<SwitchStar> switchStars(const RankTopology &rankTopology);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_FABRIC_SWITCHSTARS_H
