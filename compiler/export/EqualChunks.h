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

/// A block cut into chunks of one size, each tree with a whole number of them.
struct EqualChunks {
  unsigned perBlock = 0;       ///< a power of two
  std::vector<unsigned> first; ///< by tree: its first chunk in its block
  std::vector<unsigned> count; ///< by tree; may be 0
  /// By how much the busiest link has more to do than with the exact shares,
  /// as a factor; below 1 where the shares were not the best.
  double load = 1;
  bool isExact = true; ///< every tree has its share
};

/// The fewest chunks that cost no link more than 1 % of the busiest one's load,
/// or those with least load. Trees have shares of their block by `numerators`
/// instead of their own, and should have as many chunks as `wanted` says, at
/// least.
EqualChunks equalChunksFor(const sched::Topology &machine,
                           const sched::Variant &variant,
                           llvm::ArrayRef<uint32_t> numerators,
                           llvm::ArrayRef<unsigned> wanted);

} // namespace blink

#endif // BLINK_COMPILER_EXPORT_EQUALCHUNKS_H
