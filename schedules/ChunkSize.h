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

#include <algorithm>
#include <cstdint>

namespace blink::sched {

/// From here on calls go without slots where ranks can reach each other's
/// buffers. Below, the word that says where they are costs more than a copy.
inline constexpr uint64_t kDirectBytes = 256 << 10;

/// So many chunks let a tree's steps overlap.
inline constexpr uint64_t kOverlappingChunks = 4;

/// The chunks of a call whose largest tree carries `treeBytes`: those of the
/// schedule, which large messages want, or smaller ones, so that the tree has
/// `least` of them; a multiple of 64 bytes where
/// `chunkBytes` is. Which elements go where and in what order they are reduced
/// does not depend on it; every rank computes the same.
inline uint64_t chunkBytesOfCall(uint64_t chunkBytes, uint64_t treeBytes,
                                 uint64_t least = kOverlappingChunks) {
  constexpr uint64_t kLeast = 64 << 10; // below, a chunk is mostly overhead
  constexpr uint64_t kGranule = 64;
  const uint64_t chunk = (treeBytes / least + kGranule) / kGranule * kGranule;
  return std::min(chunkBytes, std::max(chunk, kLeast));
}

} // namespace blink::sched

#endif // BLINK_SCHEDULES_CHUNKSIZE_H
