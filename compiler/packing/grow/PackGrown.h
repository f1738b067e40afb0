//===- PackGrown.h - the optimum without a linear program -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_PACKGROWN_H
#define BLINK_COMPILER_PACKING_GROW_PACKGROWN_H

#include "compiler/packing/PackTrees.h"

namespace blink {

/// Lanes of a rank, of which each grown tree has one.
inline constexpr int kMostGrown = 16;
/// Grown trees that share lanes, where fewer do not come near the optimum.
inline constexpr int kMostSharing = 64;

/// Whether trees of `problem` may be grown: a broadcast or reduce over more
/// than kFewRanks, along all links, each tree adding as it likes.
bool mayGrow(const PackingProblem &problem);

/// The optimum of a broadcast or reduce by its least cut, which is the
/// certificate, and few trees of one weight that are grown until they reach it.
/// Where no number of trees up to kMostGrown divides the room of links such
/// that they do, up to kMostSharing that leave no more than `slack` of it, or,
/// where that is not 0 and ranks are too many for a linear program, than has to
/// be left so that trees enter each box once. Nothing where there are none, as
/// where paths that can be driven are fewer than those of the graph. The result
/// has passed PackingProblem::verify.
std::optional<PackedTrees> packGrown(const PackingProblem &problem,
                                     double slack = 0);

/// Whether `packing` may be what packGrown made: no more than kMostSharing
/// trees of one weight, no more than `maxTrees` unless that is 0.
bool isGrown(const PackingProblem &problem, const Packing &packing,
             int maxTrees);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_PACKGROWN_H
