//===- SpreadPaths.h - spreading equally cheap paths ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_FABRIC_SPREADPATHS_H
#define BLINK_COMPILER_TOPOLOGY_FABRIC_SPREADPATHS_H

#include "compiler/topology/fabric/RankTopology.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace blink {

/// Returns cheapest paths from `sources`, of the same costs as those of
/// RankTopology::cheapestPaths, but on a machine with a fabric (FabricLinks.h)
/// each pair of ranks breaks ties in its own way. Without this all paths of a
/// fat tree would cross the same core switch; with it the paths use the cores
/// about equally often, as with ECMP (RFC 2992). A source has `waysOf(source)`
/// sets of tie-breakers, each of which takes a search; one is enough if paths
/// from all ranks are used about equally often. With relays the paths are those
/// of cheapestPaths. Deterministic.
PathTable spreadPaths(const RankTopology &machine,
                      const std::vector<double> &prices,
                      const std::vector<int> &sources,
                      llvm::function_ref<int(int)> waysOf);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_FABRIC_SPREADPATHS_H
