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

/// Looks for such trees by negotiated congestion, as FPGA routers do (McMurchie
/// and Ebeling, PathFinder, 1995). Every tree is grown greedily over links
/// whose prices rise with the load that other trees and its own edges so far
/// have put on them. Links that stay overloaded become dearer from round to
/// round, until none is overloaded. This finds trees that column generation has
/// no reason to find, because they share links well but are not cheap. A
/// deterministic heuristic of bounded effort; returns an empty vector if it
/// fails. The trees weigh `unit`. Not for routed collectives. `paths` has the
/// problem's ranks. Sets `grown` to the number of trees that the search grew,
/// each in O(ranks^3) steps at most.
std::vector<Tree> routeTrees(const SymmetricProblem &plain,
                             const RouteRequest &request, PathsByPrice &paths,
                             int &grown);

/// Returns an upper bound on the number of trees that routeTrees grows.
int mostGrown(const PackingProblem &problem, const RouteRequest &request);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_SELECT_TREEROUTER_H
