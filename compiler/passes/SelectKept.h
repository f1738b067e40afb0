//===- SelectKept.h - the forest whose rate links keep ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PASSES_SELECTKEPT_H
#define BLINK_COMPILER_PASSES_SELECTKEPT_H

#include "compiler/packing/SelectTrees.h"

namespace blink {

/// A forest, and the number of equal parts into which each tree is best split
/// (selectKept: within the default ScheduleLimits); `parts` is empty if no
/// numbers have been chosen.
struct SelectedForest {
  Packing packing;
  std::vector<unsigned> parts = {};
};

/// Returns the best of three kinds of forests: `selected`, which selectTrees
/// made of `packed`, and whose rate links that divide themselves fairly may not
/// keep; forests of which links keep the whole rate; and smaller forests. A
/// forest that keeps 97 % of its rate comes before one that does not; after
/// that the faster one comes first, unless its short messages take far longer.
/// The other forests reach at least 95 % of the optimum. Smaller forests are
/// not sought if nearly all of the rate is kept, or if fair trees that were the
/// best have the same rate.
llvm::Expected<SelectedForest> selectKept(const PackingProblem &problem,
                                          const PackedTrees &packed,
                                          Packing selected,
                                          const SelectOptions &options);

} // namespace blink

#endif // BLINK_COMPILER_PASSES_SELECTKEPT_H
