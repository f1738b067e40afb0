//===- BoxRotation.h - boxes that take each other's places ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_SYMMETRY_BOXROTATION_H
#define BLINK_COMPILER_TOPOLOGY_SYMMETRY_BOXROTATION_H

#include "compiler/topology/symmetry/Symmetry.h"

#include <optional>

namespace blink {

/// Returns the symmetry that takes each box with ranks (Cluster.h) to the next
/// one, the last to the first, and each of its nodes to the one with the same
/// place. Symmetry::find may find a larger group, but not one that contains
/// this: boxes could also turn while they move. Returns nothing for a single
/// box with ranks, boxes of different kinds, or boxes of which different GPUs
/// are ranks.
std::optional<Symmetry> rotationOfBoxes(const RankTopology &rankTopology);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_BOXROTATION_H
