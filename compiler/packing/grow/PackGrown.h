//===- PackGrown.h - the optimum without a linear program -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_PACKGROWN_H
#define BLINK_COMPILER_PACKING_GROW_PACKGROWN_H

#include "compiler/packing/PackTrees.h"

namespace blink {

/// The number of grown trees for which a rank has one lane each.
inline constexpr int kMostGrown = 16;
/// The most grown trees if they share lanes because fewer do not come near the
/// optimum.
inline constexpr int kMostSharing = 64;

/// Returns true if trees of `problem` may be grown: it is a broadcast or reduce
/// over more than kFewRanks ranks, without phases, order or switches.
bool mayGrow(const PackingProblem &problem);

/// Returns the optimum of a broadcast or reduce. The least cut is the
/// certificate, and a few trees of one weight are grown until they reach it. If
/// no number of trees up to kMostGrown divides the room of links such that they
/// do, up to kMostSharing trees are taken that lose no more than `slack` of it.
/// If the slack is not 0 and there are too many ranks for a linear program,
/// trees grown over islands are tried as well, which may lose more.
/// Returns std::nullopt if no such trees were found, for example because the
/// paths that can be driven are fewer than those of the graph. The result has
/// passed PackingProblem::verify.
std::optional<PackedTrees> packGrown(const PackingProblem &problem,
                                     double slack = 0);

/// Returns true if `packing` may be a result of packGrown: it has no more than
/// kMostSharing trees, all of one weight, and no more than `maxTrees` unless
/// that is 0.
bool isGrown(const PackingProblem &problem, const Packing &packing,
             int maxTrees);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_PACKGROWN_H
