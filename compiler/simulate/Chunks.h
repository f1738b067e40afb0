//===- Chunks.h - how a simulated message is cut ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SIMULATE_CHUNKS_H
#define BLINK_COMPILER_SIMULATE_CHUNKS_H

#include "compiler/plan/FoldProgram.h"
#include "schedules/ChunkSize.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace blink {

/// The chunks of a tree, of which the last may be shorter.
struct TreeChunks {
  double bytes = 0; ///< of all
  double chunkBytes = 0;
  uint64_t chunks = 0;

  double bytesOf(uint64_t chunk) const {
    return std::min(chunkBytes, bytes - double(chunk) * chunkBytes);
  }
};

/// Of each tree, for a message of `bytes`: as the runtime does
/// (runtime/core/Geometry.h), but for the granules between trees. In chunks of
/// `sizes.bytes`, or smaller ones unless `whole`.
std::vector<TreeChunks> cutTrees(const FoldProgram &program,
                                 sched::ChunkSizes sizes, double bytes,
                                 bool whole = false);

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_CHUNKS_H
