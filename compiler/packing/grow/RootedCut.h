//===- RootedCut.h - the least cut around ranks that lack a root -*- C++ -*-==//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_ROOTEDCUT_H
#define BLINK_COMPILER_PACKING_GROW_ROOTEDCUT_H

#include "compiler/packing/Packing.h"

namespace blink {

/// Of a broadcast or reduce that has passed check(): the least bandwidth into
/// (out of) a set of ranks without the root, and what lies between, as prices:
/// 1 on each link that leads there. Each tree uses one of these links at least,
/// so no rate is higher; the bound is the least that maximum flows from the
/// root carry to some rank. Edmonds' theorem says that trees reach it where
/// GPUs are joined directly. One rank of each of classesAround() is looked at:
/// if classes are too coarse, the bound may not be the least there is.
PackingCertificate leastCut(const PackingProblem &problem);
/// The same of the sets that hold one of `ranks`.
PackingCertificate leastCut(const PackingProblem &problem,
                            const std::vector<int> &ranks);

/// Whether so many trees of `unit` GB/s pass all cuts between the root and each
/// of `ranks` (classesAround), if a link has room for whole ones only. Where it
/// says no, there are no such trees.
bool cutsCarry(const PackingProblem &problem, const std::vector<int> &ranks,
               int trees, double unit);

/// How many trees of `unit` GB/s have room on each link of the topology.
std::vector<int> roomOf(const PackingProblem &problem, double unit);

/// The nodes that data may pass: all but GPUs outside of the job.
std::vector<bool> nodesToPass(const RankTopology &rankTopology);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_ROOTEDCUT_H
