//===- MachineColoring.h - a job's machine as a coloured graph --*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_SYMMETRY_MACHINECOLORING_H
#define BLINK_COMPILER_TOPOLOGY_SYMMETRY_MACHINECOLORING_H

#include "compiler/topology/fabric/RankTopology.h"
#include "compiler/topology/symmetry/TwinColoring.h"

namespace blink {

/// All links as coloured arcs, both ways, and of each node a colour, from 0: an
/// automorphism of the machine that keeps ranks and relays keeps colours.
struct MachineColoring {
  explicit MachineColoring(const RankTopology &rankTopology);

  ColoredGraph graph;
  std::vector<int> colors; ///< per node
};

/// The least rank of each class of those that no automorphism which leaves rank
/// `fixed` where it is can be told to take elsewhere, by colour refinement,
/// ascending, without `fixed`. Ranks of one orbit are of one class; a class may
/// hold several orbits.
std::vector<int> classesAround(const RankTopology &rankTopology, int fixed);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_MACHINECOLORING_H
