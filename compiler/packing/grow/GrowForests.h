//===- GrowForests.h - forests of few low trees to choose from --*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_GROWFORESTS_H
#define BLINK_COMPILER_PACKING_GROW_GROWFORESTS_H

#include "compiler/packing/Packing.h"

namespace blink {

/// For more ranks than this, forests that take long to grow are left out: all
/// whose trees cannot enter each island once.
inline constexpr int kMostPatiently = 512;

/// Returns packings of a broadcast or reduce at `rate` GB/s, the optimum, whose
/// trees all have one weight. Each has `lanes` trees (counting equal ones) or
/// somewhat fewer, but no more than `maxTrees` unless that is 0; if that is not
/// possible, up to kMostSharing (PackGrown.h). The packings differ in how many
/// children a rank may have in a tree: few make light folds, many make low
/// trees, and each later packing is lower. Empty if no number of trees up to
/// these limits divides the room of links such that the rate is reached, or if
/// the ranks are too many to try. Each packing has passed
/// PackingProblem::verify.
std::vector<Packing> growForests(const PackingProblem &problem, double rate,
                                 int lanes, int maxTrees);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_GROWFORESTS_H
