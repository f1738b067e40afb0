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

/// The chunks of a call whose largest tree carries `treeBytes`: those of the
/// schedule, which large messages want, or smaller ones that let a tree's steps
/// overlap where a message is of few of them; a multiple of 64 bytes where
/// `chunkBytes` is. Which elements go where and in what order they are reduced
/// does not hang on it; every rank computes the same.
inline uint64_t chunkBytesOfCall(uint64_t chunkBytes, uint64_t treeBytes) {
  constexpr uint64_t kChunks = 4;       // of the largest tree, at least
  constexpr uint64_t kLeast = 64 << 10; // below, a chunk is mostly overhead
  constexpr uint64_t kGranule = 64;
  const uint64_t chunk = (treeBytes / kChunks + kGranule) / kGranule * kGranule;
  return std::min(chunkBytes, std::max(chunk, kLeast));
}

} // namespace blink::sched

#endif // BLINK_SCHEDULES_CHUNKSIZE_H
