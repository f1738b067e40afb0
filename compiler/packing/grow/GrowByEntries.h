//===- GrowByEntries.h - trees that enter islands repeatedly ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_GROWBYENTRIES_H
#define BLINK_COMPILER_PACKING_GROW_GROWBYENTRIES_H

#include "compiler/packing/grow/GrowTrees.h"

namespace blink {

/// Grows trees as growByIslands does, but each tree may enter an island several
/// times. If a NIC is faster than what a GPU gets from its box, it has to, at
/// the bound. First, the edges within each island are added, which decides
/// where trees enter it (IslandBranches.h): the ranks below an entry are a
/// *branch*. Then the exits of all ranks are divided among the trees such that
/// a rank sends out in as few trees as possible, and each tree is grown from
/// branch to branch; those that send on come first. Takes about copies x ranks
/// x ranks steps. Returns no trees if it got stuck, for example because links
/// between islands are narrower than their exits.
std::vector<Tree> growByEntries(const PackingProblem &problem,
                                const Islands &islands, const PathTable &table,
                                const std::vector<int> &room,
                                const GrowRequest &request);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_GROWBYENTRIES_H
