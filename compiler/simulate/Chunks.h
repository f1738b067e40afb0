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

/// The chunks of a tree; the last one may be shorter. A chunk passes through a
/// fold in waves, of which the last one may be shorter: in a single one, or
/// with low_latency in waves of sched::kWaveBytes. Waves are numbered from the
/// first one of the call.
struct TreeChunks {
  double bytes = 0; ///< of all chunks
  double chunkBytes = 0;
  uint64_t chunks = 0;
  double waveBytes = 0;
  uint64_t waves = 1; ///< of a chunk that is not shorter

  double bytesOf(uint64_t chunk) const {
    return std::min(chunkBytes, bytes - double(chunk) * chunkBytes);
  }
  double bytesOfWave(uint64_t wave) const {
    const uint64_t before = wave % waves;
    return std::min(waveBytes,
                    bytesOf(wave / waves) - double(before) * waveBytes);
  }
  bool endsChunk(uint64_t wave) const;
};

/// Returns the chunks of each tree for a message of `bytes`, cut as the runtime
/// cuts it (runtime/core/Geometry.h) except for the granules between trees.
/// Chunks have `sizes.bytes`, or less in short messages unless `whole`, and are
/// a single wave.
std::vector<TreeChunks> cutTrees(const FoldProgram &program,
                                 sched::ChunkSizes sizes, double bytes,
                                 bool whole = false);

/// Ends each tree after `most` chunks.
void keepRounds(std::vector<TreeChunks> &trees, uint64_t most);

/// Divides chunks into waves of low_latency.
void divideIntoWaves(std::vector<TreeChunks> &trees);

/// Returns the number of folds of a message with these chunks of each tree.
uint64_t countFolds(const FoldProgram &program,
                    const std::vector<TreeChunks> &cuts);

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_CHUNKS_H
