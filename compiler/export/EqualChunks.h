//===- EqualChunks.h - shares of trees as numbers of chunks -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_EXPORT_EQUALCHUNKS_H
#define BLINK_COMPILER_EXPORT_EQUALCHUNKS_H

#include "schedules/schedule_generated.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace blink {

/// A block cut into chunks of one size, a whole number of them for each tree.
struct EqualChunks {
  unsigned perBlock = 0;       ///< a power of two
  std::vector<unsigned> first; ///< by tree: its first chunk in its block
  std::vector<unsigned> count; ///< by tree; may be 0
  /// Load of the busiest link relative to its load with the exact shares; may
  /// be below 1 if those were not the best.
  double load = 1;
  double rate = 0;     ///< GB/s that links sustain if no switch works for trees
  bool isExact = true; ///< every tree has exactly its share
};

/// Returns the smallest number of chunks that puts no more than 1 % of
/// additional load on the busiest link, or else the one with the least load.
/// Trees have shares of their block by `numerators` instead of their own. A
/// block gets at least as many chunks as its trees together want by `wanted`.
EqualChunks equalChunksFor(const sched::Topology &machine,
                           const sched::Variant &variant,
                           llvm::ArrayRef<uint32_t> numerators,
                           llvm::ArrayRef<unsigned> wanted);

} // namespace blink

#endif // BLINK_COMPILER_EXPORT_EQUALCHUNKS_H
