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

/// All links as coloured arcs in both directions, and the colour of each node,
/// numbered from 0. An automorphism of the machine that keeps ranks and relays
/// keeps colours.
struct MachineColoring {
  explicit MachineColoring(const RankTopology &rankTopology);

  ColoredGraph graph;
  std::vector<int> colors; ///< per node
};

/// Divides the ranks other than `fixed` into classes such that, as far as
/// colour refinement can tell, an automorphism that fixes `fixed` may take each
/// rank of a class to each other one. Returns the least rank of each class,
/// ascending. Ranks of one orbit are in one class; a class may hold several
/// orbits.
std::vector<int> classesAround(const RankTopology &rankTopology, int fixed);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_MACHINECOLORING_H
