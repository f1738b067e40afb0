//===- GrowByIslands.h - trees that grow first between islands --*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_GROWBYISLANDS_H
#define BLINK_COMPILER_PACKING_GROW_GROWBYISLANDS_H

#include "compiler/packing/grow/GrowTrees.h"
#include "compiler/packing/grow/Islands.h"

namespace blink {

/// Trees as of growTrees where islands divide the ranks, in two steps: first
/// all edges between islands, level by level of islands, which are few and
/// decide how low trees are; then those within each island from the rank where
/// a tree enters it, those first from which more hangs. An island leaves room
/// on its way out to the trees that come early: in those it has many children,
/// in the others none, as in SplitStream (Castro et al., 2003), so that depth
/// grows with the logarithm of the number of islands. Takes copies x ranks x
/// islands steps, about. Without trees where it got stuck. `variant`: which of
/// equal edges come first.
std::vector<Tree> growByIslands(const PackingProblem &problem,
                                const Islands &islands, const PathTable &table,
                                std::vector<int> room,
                                const GrowRequest &request, uint32_t variant);

/// Whether, by their ranks one by one, `copies` trees may enter each island but
/// the root's once: what a rank cannot get from its own island has to enter at
/// it. Where it says no, growByIslands gets stuck. `room`: of each link.
bool mayEnterOnce(const PackingProblem &problem, const Islands &islands,
                  const std::vector<int> &room, int copies);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_GROWBYISLANDS_H
