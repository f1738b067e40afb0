//===- GrowByIslands.h - trees grown first between islands ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_GROWBYISLANDS_H
#define BLINK_COMPILER_PACKING_GROW_GROWBYISLANDS_H

#include "compiler/packing/grow/GrowTrees.h"
#include "compiler/packing/grow/Islands.h"

namespace blink {

/// Grows trees as growTrees does, for islands that divide the ranks, in two
/// steps. The first adds all edges between islands, one level of islands after
/// the other; these edges are few and decide how low the trees are. The second
/// adds the edges within each island, from the rank where a tree enters it;
/// ranks with more islands below them come first. An island's links to other
/// islands serve the trees that reach it early: in those it has many children
/// and in the others none, as in SplitStream (Castro et al., 2003), so that
/// depth grows with the logarithm of the number of islands. Takes about copies
/// x ranks x islands steps. Returns no trees if it got stuck. `variant` selects
/// the order of equal edges.
std::vector<Tree> growByIslands(const PackingProblem &problem,
                                const Islands &islands, const PathTable &table,
                                std::vector<int> room,
                                const GrowRequest &request, uint32_t variant);

/// Returns true if `copies` trees may enter each island but the root's once,
/// judged rank by rank: what a rank cannot get from its own island has to enter
/// the island at that rank. If the result is false, growByIslands gets stuck.
/// `room` is the number of trees that fit on each link.
bool mayEnterOnce(const PackingProblem &problem, const Islands &islands,
                  const std::vector<int> &room, int copies);

/// Returns true if each tree of a broadcast or reduce enters each island once
/// or, for that of the root, never.
bool entersOnce(const PackingProblem &problem, const Islands &islands,
                const std::vector<Tree> &trees);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_GROWBYISLANDS_H
