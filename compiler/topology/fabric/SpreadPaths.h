//===- SpreadPaths.h - equally cheap paths, shared out ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_FABRIC_SPREADPATHS_H
#define BLINK_COMPILER_TOPOLOGY_FABRIC_SPREADPATHS_H

#include "compiler/topology/fabric/RankTopology.h"

namespace blink {

/// Cheapest paths as of RankTopology::cheapestPaths from `sources`, and of the
/// same costs, but that in a fabric (FabricLinks.h) pairs of ranks break ties
/// each in their own way. Otherwise all paths of a fat tree cross one of its
/// cores; so they cross all about equally often, as with ECMP (RFC 2992). From
/// a source there are up to `ways` ways, each of which takes a search: one will
/// do where the sources are all ranks. With relays the paths are those of
/// cheapestPaths. Same input, same paths.
PathTable spreadPaths(const RankTopology &machine,
                      const std::vector<double> &prices,
                      const std::vector<int> &sources, int ways);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_FABRIC_SPREADPATHS_H
