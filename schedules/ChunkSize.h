//===- ChunkSize.h - the chunks that a call is cut into ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The runtime cuts calls by these rules, and the compiler's model of time uses
// them, too.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_CHUNKSIZE_H
#define BLINK_SCHEDULES_CHUNKSIZE_H

#include "schedules/schedule_generated.h"

#include <algorithm>
#include <cstdint>

namespace blink::sched {

/// From this size on, calls use no slots if ranks can access each other's
/// buffers. Below it, announcing the buffers' addresses costs more than a copy.
inline constexpr uint64_t kDirectBytes = 256 << 10;

/// Bytes of data that the threads of a lane move at a time with low_latency, a
/// line of eight bytes each (runtime/cuda/LineFold.h). A chunk passes through a
/// fold in waves of this size: the lines of one are passed on while those of
/// the next one are still on their way.
inline constexpr uint32_t kWaveBytes = 480 * 8;

/// The chunks of a variant (schedule.fbs).
struct ChunkSizes {
  uint32_t bytes = 0; ///< size for large messages
  /// Smaller chunks are mostly overhead, unless the variant says otherwise.
  uint32_t leastBytes = 64 << 10;
  /// This many chunks let the steps of a tree overlap, unless the variant says
  /// otherwise.
  uint32_t leastChunks = 4;

  // NOLINTNEXTLINE(google-explicit-constructor): most have but one size
  constexpr ChunkSizes(uint32_t bytes = 0) : bytes(bytes) {}
  constexpr ChunkSizes(uint32_t bytes, uint32_t leastBytes,
                       uint32_t leastChunks)
      : bytes(bytes), leastBytes(leastBytes), leastChunks(leastChunks) {}

  bool operator==(const ChunkSizes &other) const {
    return bytes == other.bytes && leastBytes == other.leastBytes &&
           leastChunks == other.leastChunks;
  }
};

/// Returns the chunks of `variant`, whose file openSchedule has accepted.
inline ChunkSizes chunksOf(const Variant &variant) {
  return {variant.chunk_bytes(), variant.least_chunk_bytes(),
          variant.least_chunks()};
}

/// Returns the chunk size of a call whose largest tree carries `treeBytes`: the
/// schedule's, which suits large messages, or a smaller one, so that the tree
/// has enough chunks. It is a multiple of 64 bytes if `sizes.bytes` is. The
/// assignment of elements to trees and the order of reduction do not depend on
/// it. Every rank computes the same value.
inline uint64_t chunkBytesOfCall(ChunkSizes sizes, uint64_t treeBytes) {
  constexpr uint64_t kGranule = 64;
  const uint64_t chunk =
      (treeBytes / sizes.leastChunks + kGranule) / kGranule * kGranule;
  return std::min<uint64_t>(sizes.bytes,
                            std::max<uint64_t>(chunk, sizes.leastBytes));
}

} // namespace blink::sched

#endif // BLINK_SCHEDULES_CHUNKSIZE_H
