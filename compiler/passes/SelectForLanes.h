//===- SelectForLanes.h - the fastest forest in few lanes -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PASSES_SELECTFORLANES_H
#define BLINK_COMPILER_PASSES_SELECTFORLANES_H

#include "compiler/passes/SelectKept.h"
#include "compiler/plan/TimeModel.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace blink {

/// Returns true if trees of `problem` may be selected several times: it takes
/// seconds to do so, and to simulate them, for over 128 ranks, or for over
/// kFewRanks if there is a root.
bool isSoonSelected(const PackingProblem &problem);

/// Selects trees of the problem with these options.
using Selector =
    llvm::function_ref<llvm::Expected<SelectedForest>(const SelectOptions &)>;

/// For ranks with fewer lanes than by default, which are slower than links:
/// returns the fastest forest within `limits`, `selected` or one of fewer trees
/// or whose ranks copy less, which may give up a quarter of the rate or more.
/// Its trees are whole or in parts, whichever takes less. To be better than
/// `selected`, it must be 3 % faster in the geometric mean over messages of
/// 256 KiB to 256 MiB, in simulations, and none of them may take 3 % longer, or
/// 8 % for 256 KiB, which often have other trees. Returns `selected` itself if
/// there is no slack, for routed collectives, or if not isSoonSelected.
llvm::Expected<SelectedForest> selectForLanes(const PackingProblem &problem,
                                              SelectedForest selected,
                                              const SelectOptions &options,
                                              ScheduleLimits limits,
                                              Selector select);

} // namespace blink

#endif // BLINK_COMPILER_PASSES_SELECTFORLANES_H
