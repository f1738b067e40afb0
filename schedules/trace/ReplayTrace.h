//===- ReplayTrace.h - when folds ran ---------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A replay of schedules, real or simulated, as plain data, which
// PerfettoTrace.h writes to and reads from files.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_TRACE_REPLAYTRACE_H
#define BLINK_SCHEDULES_TRACE_REPLAYTRACE_H

#include <cstdint>
#include <string>
#include <vector>

namespace blink::sched {

/// One fold of one chunk. Times are nanoseconds of any clock that all ranks
/// share.
struct TracedFold {
  uint32_t rank = 0;
  uint32_t lane = 0;
  uint32_t step = 0; ///< within the lane
  uint32_t variant = 0;
  uint64_t chunk = 0;
  uint64_t bytes = 0; ///< of the chunk
  uint64_t begin = 0; ///< when all chunks and slots were available
  uint64_t end = 0;
  uint64_t waited = 0; ///< time before `begin`, since the lane's last fold
  uint64_t moved = 0;  ///< bytes loaded and stored; 0: not known
};

/// A chunk, or part of one, that crosses links at one rate.
struct TracedTransfer {
  uint32_t variant = 0;
  uint32_t channel = 0;
  uint64_t bytes = 0;
  uint64_t begin = 0, end = 0; ///< nanoseconds
};

struct TraceChannel {
  uint32_t source = 0, destination = 0; ///< ranks
  std::vector<uint32_t> links;          ///< indices in ReplayTrace::links
};

struct TraceStep {
  uint32_t tree = 0;
  std::vector<uint32_t> reads, writes; ///< channels of the variant
};

/// The channels and steps of a variant.
struct TraceVariant {
  std::string name; ///< "allreduce, 64 KiB chunks"
  std::vector<TraceChannel> channels;
  /// By rank, lane and step.
  std::vector<std::vector<std::vector<TraceStep>>> steps;
};

struct ReplayTrace {
  std::vector<std::string> ranks; ///< "rank 0 (gpu3)"
  std::vector<std::string> links; ///< "gpu0 -> gpu3 (nvlink)"
  std::vector<TraceVariant> variants;
  std::vector<TracedFold> folds; ///< each lane's in the order of time
  /// Transfers over links. If they are unknown, as on real links, a chunk is
  /// assumed to be under way while it is written.
  std::vector<TracedTransfer> transfers;
};

} // namespace blink::sched

#endif // BLINK_SCHEDULES_TRACE_REPLAYTRACE_H
