//===- ChunkSize.h - into what chunks a call is cut -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The runtime cuts calls by this, and the compiler's model of time counts by
// it.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_CHUNKSIZE_H
#define BLINK_SCHEDULES_CHUNKSIZE_H

#include "schedules/schedule_generated.h"

#include <algorithm>
#include <cstdint>

namespace blink::sched {

/// From here on calls go without slots where ranks can reach each other's
/// buffers. Below, the word that says where they are costs more than a copy.
inline constexpr uint64_t kDirectBytes = 256 << 10;

/// The chunks of a variant (schedule.fbs).
struct ChunkSizes {
  uint32_t bytes = 0; ///< which large messages want
  /// Below these a chunk is mostly overhead, unless the variant says otherwise.
  uint32_t leastBytes = 64 << 10;
  /// So many chunks let a tree's steps overlap, likewise.
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

/// Those of `variant`, whose file openSchedule has accepted.
inline ChunkSizes chunksOf(const Variant &variant) {
  return {variant.chunk_bytes(), variant.least_chunk_bytes(),
          variant.least_chunks()};
}

/// The chunks of a call whose largest tree carries `treeBytes`: those of the
/// schedule, which large messages want, or smaller ones, so that the tree has
/// enough of them; a multiple of 64 bytes where `sizes.bytes` is. Which
/// elements go where and in what order they are reduced does not depend on it;
/// every rank computes the same.
inline uint64_t chunkBytesOfCall(ChunkSizes sizes, uint64_t treeBytes) {
  constexpr uint64_t kGranule = 64;
  const uint64_t chunk =
      (treeBytes / sizes.leastChunks + kGranule) / kGranule * kGranule;
  return std::min<uint64_t>(sizes.bytes,
                            std::max<uint64_t>(chunk, sizes.leastBytes));
}

} // namespace blink::sched

#endif // BLINK_SCHEDULES_CHUNKSIZE_H
