//===- HalfTrees.h - an allreduce of two ranks as an exchange ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// In a tree over two ranks the root adds and copies, while the other rank has
// nothing to do: with zero copy its folds are passive. The same links can carry
// the tree rooted at the other rank as well, because what goes up in one tree
// comes down in the other. So such a tree is divided into two halves, each
// rooted at one of the ranks.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_HALFTREES_H
#define BLINK_COMPILER_PLAN_HALFTREES_H

#include "compiler/packing/Packing.h"
#include "compiler/plan/TimeModel.h"

namespace blink {

/// Returns an allreduce's trees over two ranks in halves with a root at each of
/// them, with equal trees merged. Every link has the same load as before, so
/// rate and bound stay. Returns no trees for more ranks, for other collectives,
/// and if a switch works for a tree.
Packing halfTrees(const PackingProblem &problem, const Packing &packing);

/// Returns halfTrees if they are no more than `maxTrees` (unless that is 0) and
/// no message from kDirectBytes to 1 GiB takes longer by the model than with
/// `packing`, both in the parts of chooseParts; otherwise no trees. Errors: as
/// of expandForest.
llvm::Expected<Packing> chooseHalves(const PackingProblem &problem,
                                     const Packing &packing,
                                     ScheduleLimits limits, size_t maxTrees);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_HALFTREES_H
