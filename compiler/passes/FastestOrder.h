//===- FastestOrder.h - the fastest order of trees --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PASSES_FASTESTORDER_H
#define BLINK_COMPILER_PASSES_FASTESTORDER_H

#include "compiler/passes/PlannedVariant.h"
#include "compiler/plan/TreeOrder.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace blink {

/// How loose folds are put into lanes (assignLanes).
struct LaneOrder {
  TreeOrder trees = TreeOrder::asGiven;
  bool mayMix = false; ///< directions
};

/// Assigns lanes to the loose folds of `program`, which is for `use`, as
/// assignLanes does, in that LaneOrder, which is returned, in which some
/// messages take the least time in simulations with the costs of the model of
/// time, on the mean: 4, 16 and 64 MiB, or a 64th, an 8th and all of
/// `maxBytes`. The model does not know the order, nor what mixed directions
/// cost. These are kept apart, and trees in the given order, if nothing else is
/// 0.5 % faster, or if it makes one of the sizes 2 % slower. `finish` completes
/// lanes before that. A size is left out if it is below `minBytes`, or if more
/// than 4096 folds would have to be simulated. Without simulations, and if
/// lanes have one fold each, the given order is kept and directions may mix.
/// Errors: lanes that wait in a circle.
llvm::Expected<LaneOrder>
assignFastestOrder(FoldProgram &program, VariantUse use, unsigned maxLanes,
                   llvm::function_ref<void(FoldProgram &)> finish);

/// A variant, and how its folds were put into lanes.
struct OrderedVariant {
  PlannedVariant variant;
  LaneOrder order;
};

/// Returns the variant of the trees of `packing`, as they are, in the fastest
/// order (assignFastestOrder). Errors: as of expandForest; a simulation failed.
llvm::Expected<OrderedVariant> planVariant(const PackingProblem &problem,
                                           const Packing &packing,
                                           VariantUse use,
                                           ScheduleLimits limits);

} // namespace blink

#endif // BLINK_COMPILER_PASSES_FASTESTORDER_H
