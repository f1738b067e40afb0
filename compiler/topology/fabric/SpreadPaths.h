//===- SpreadPaths.h - spreading equally cheap paths ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_FABRIC_SPREADPATHS_H
#define BLINK_COMPILER_TOPOLOGY_FABRIC_SPREADPATHS_H

#include "compiler/topology/fabric/RankTopology.h"

namespace blink {

/// Returns cheapest paths from `sources`, of the same costs as those of
/// RankTopology::cheapestPaths, but on a machine with a fabric (FabricLinks.h)
/// each pair of ranks breaks ties in its own way. Without this all paths of a
/// fat tree would cross the same core switch; with it the paths use the cores
/// about equally often, as with ECMP (RFC 2992). Each source has `ways` sets of
/// tie-breakers, each of which takes a search; one is enough if all ranks are
/// sources. With relays the paths are those of cheapestPaths. Deterministic.
PathTable spreadPaths(const RankTopology &machine,
                      const std::vector<double> &prices,
                      const std::vector<int> &sources, int ways);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_FABRIC_SPREADPATHS_H
