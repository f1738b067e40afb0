//===- HalfTrees.h - an allreduce of two ranks as an exchange ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The root of a tree over two ranks adds and copies, and the other rank looks
// on: with zero copy its folds are passive. The same links carry the tree from
// the other end as well, as what goes up one way comes down the other. So it
// goes in two halves, each rooted at one of the ranks.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_HALFTREES_H
#define BLINK_COMPILER_PLAN_HALFTREES_H

#include "compiler/packing/Packing.h"
#include "compiler/plan/TimeModel.h"

namespace blink {

/// An allreduce's trees over two ranks in halves with a root at each of them,
/// equal ones merged: every link has the same load, so that rate and bound
/// stay. No trees where that is no choice: for more ranks, other collectives,
/// and where a switch works for a tree.
Packing halfTrees(const PackingProblem &problem, const Packing &packing);

/// The same where these are no more than `maxTrees`, if that is not 0, and no
/// message from kDirectBytes on takes longer by the model, in the parts of
/// chooseParts, than with `packing`; else no trees. Errors: as of expandForest.
llvm::Expected<Packing> chooseHalves(const PackingProblem &problem,
                                     const Packing &packing,
                                     ScheduleLimits limits, size_t maxTrees);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_HALFTREES_H
