//===- TreeRouter.h - trees of one weight into integer room -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_SELECT_TREEROUTER_H
#define BLINK_COMPILER_PACKING_SELECT_TREEROUTER_H

#include "compiler/packing/lp/SymmetricProblem.h"
#include "compiler/topology/fabric/PathsByPrice.h"

namespace blink {

/// A routing task: `copies` trees (for each root, in allgather and
/// reducescatter) of `unit` GB/s each, no deeper than `maxDepth`, over links
/// that have `bandwidths` GB/s free, one entry per link of the topology.
struct RouteRequest {
  std::vector<double> bandwidths;
  int copies = 1;
  double unit = 0;
  int maxDepth = 1;
};

/// The trees of `unit` GB/s for which a link has room; no more than anybody
/// asks for.
double roomForTrees(double bandwidth, double unit);

/// Looks for such trees by negotiated congestion, as FPGA routers do
/// (McMurchie and Ebeling, PathFinder, 1995): every tree is grown greedily over
/// links whose price rises with the load that the others, and the tree itself
/// so far, have put on them; links that stay overloaded become dearer from
/// round to round, until nothing is. Trees that column generation has no reason
/// to find, because they share links well rather than being cheap, come out of
/// it. A heuristic of bounded effort and deterministic; empty when it fails.
/// The trees weigh `unit`. Not for
/// routed collectives. `paths`: of the problem's ranks. `grown` tells how many
/// trees the search took, each of O(ranks^3) steps at most.
std::vector<Tree> routeTrees(const SymmetricProblem &plain,
                             const RouteRequest &request, PathsByPrice &paths,
                             int &grown);

/// No search takes more trees.
int mostGrown(const PackingProblem &problem, const RouteRequest &request);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_SELECT_TREEROUTER_H
