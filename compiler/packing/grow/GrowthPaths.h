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

/// Returns the shortest paths, spread over equal alternatives (SpreadPaths.h).
/// They cross a network only if there is no other way, and avoid full links
/// where possible. A rank from which all links are full has no paths.
PathTable pathsToGrow(
    const RankTopology &rankTopology,
    llvm::function_ref<bool(int)> isFull = [](int) { return false; });

/// The paths of a growth: at first those given, then, a few times, paths around
/// links that have become full.
class GrowthPaths {
public:
  /// `table` is from pathsToGrow and must outlive this. Not movable, since a
  /// pointer may refer to a member.
  explicit GrowthPaths(const PathTable &table) : table_(&table) {}
  GrowthPaths(const GrowthPaths &) = delete;
  GrowthPaths &operator=(const GrowthPaths &) = delete;

  const PathTable &operator*() const { return *table_; }
  /// Looks for paths around full links; returns false if it has done so too
  /// often.
  bool goAround(const RankTopology &rankTopology,
                llvm::function_ref<bool(int)> isFull);

private:
  const PathTable *table_;
  PathTable detour_;
  int detours_ = 0;
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_GROWTHPATHS_H
