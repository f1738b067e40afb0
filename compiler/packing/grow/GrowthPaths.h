//===- GrowthPaths.h - the paths that trees grow along ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_GROWTHPATHS_H
#define BLINK_COMPILER_PACKING_GROW_GROWTHPATHS_H

#include "compiler/packing/Packing.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace blink {

/// The shortest paths, shared out (SpreadPaths.h), but those over a network
/// only where there is no other, and around links that are full as far as that
/// goes.
PathTable pathsToGrow(
    const RankTopology &rankTopology,
    llvm::function_ref<bool(int)> isFull = [](int) { return false; });

/// The paths of a growth: some to begin with, then, a few times, others around
/// links that have become full.
class GrowthPaths {
public:
  /// `table`: of pathsToGrow; it outlives this, which stays where it is.
  explicit GrowthPaths(const PathTable &table) : table_(&table) {}
  GrowthPaths(const GrowthPaths &) = delete;
  GrowthPaths &operator=(const GrowthPaths &) = delete;

  const PathTable &operator*() const { return *table_; }
  /// Whether it has looked for other paths.
  bool goAround(const RankTopology &rankTopology,
                llvm::function_ref<bool(int)> isFull);

private:
  const PathTable *table_;
  PathTable detour_;
  int detours_ = 0;
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_GROWTHPATHS_H
