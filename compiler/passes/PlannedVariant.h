//===- PlannedVariant.h - a variant that can be simulated -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PASSES_PLANNEDVARIANT_H
#define BLINK_COMPILER_PASSES_PLANNEDVARIANT_H

#include "compiler/packing/Packing.h"
#include "compiler/plan/ChunkChoice.h"
#include "compiler/simulate/ShortTimes.h"

#include "llvm/Support/Error.h"

#include <cstdint>

namespace blink {

/// A variant with lanes and slots, before there is IR of it.
struct PlannedVariant {
  FoldProgram program;
  sched::Protocol protocol;
  sched::ChunkSizes chunks;

  /// Gives the channels of `program`, which has lanes, their slots.
  static PlannedVariant create(FoldProgram program, VariantUse use,
                               uint32_t chunkBytes);
  /// Returns true if timeAt simulates at most so many folds: by default so few
  /// that it is no burden.
  bool isSoonSimulated(uint64_t bytes, double mostFolds = kSoonSimulated) const;
  /// Simulates a message of `bytes`; returns the microseconds that it takes.
  llvm::Expected<double> timeAt(uint64_t bytes) const;
};

/// Returns the variant for medium messages of the trees of `packing`, as they
/// are. Errors: as of expandForest.
llvm::Expected<PlannedVariant> planMedium(const PackingProblem &problem,
                                          const Packing &packing,
                                          ScheduleLimits limits);

} // namespace blink

#endif // BLINK_COMPILER_PASSES_PLANNEDVARIANT_H
