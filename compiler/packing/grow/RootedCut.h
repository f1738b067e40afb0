//===- RootedCut.h - the least cut around ranks that lack a root -*- C++ -*-==//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_ROOTEDCUT_H
#define BLINK_COMPILER_PACKING_GROW_ROOTEDCUT_H

#include "compiler/packing/Packing.h"

namespace blink {

/// Returns the least cut of a broadcast or reduce that has passed check(): the
/// least bandwidth into (for reduce, out of) a set of ranks and transit nodes
/// without the root, with a price of 1 on each link that leads there. Each tree
/// uses at least one of these links, so no rate is higher. The bound is the
/// least over ranks of the maximum flow from the root. Edmonds' theorem says
/// that trees reach it if GPUs are joined directly. Only one rank of each of
/// classesAround() is examined; if classes are too coarse, the bound may not be
/// the least there is.
PackingCertificate leastCut(const PackingProblem &problem);
/// The same for sets that contain one of `ranks`.
PackingCertificate leastCut(const PackingProblem &problem,
                            const std::vector<int> &ranks);

/// Returns true if `trees` trees of `unit` GB/s pass all cuts between the root
/// and each of `ranks` (classesAround), when a link has room for whole trees
/// only. If the result is false, no such trees exist.
bool cutsCarry(const PackingProblem &problem, const std::vector<int> &ranks,
               int trees, double unit);

/// Returns the number of trees of `unit` GB/s that fit on each link of the
/// topology.
std::vector<int> roomOf(const PackingProblem &problem, double unit);

/// Returns, per node, whether data may pass it: all but GPUs outside the job.
std::vector<bool> nodesToPass(const RankTopology &rankTopology);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_ROOTEDCUT_H
