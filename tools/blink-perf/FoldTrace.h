//===- FoldTrace.h - what BLINK_TRACE has written ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_FOLDTRACE_H
#define BLINK_TOOLS_BLINKPERF_FOLDTRACE_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace blink::perf {

/// One fold of one chunk; microseconds of the machine's clock.
struct TracedFold {
  double begin, end;
  double waited; ///< since the fold before it in its lane
  uint32_t step;
  uint64_t chunk;
  uint64_t bytes; ///< of the chunk
  uint64_t moved; ///< bytes that it loaded and stored
};

struct LaneKey {
  int rank;
  uint32_t lane;
  bool operator<(const LaneKey &other) const {
    return rank != other.rank ? rank < other.rank : lane < other.lane;
  }
};

/// In the order in which the lane ran them.
using FoldTrace = std::map<LaneKey, std::vector<TracedFold>>;

/// A folder of its own for traces, removed with all that is in it; while it is
/// there BLINK_TRACE leads into it.
class TraceFolder {
public:
  /// Throws std::runtime_error.
  TraceFolder();
  ~TraceFolder();
  TraceFolder(const TraceFolder &) = delete;

  /// All files of all processes that have ended, one behind the other: a trace
  /// of them all.
  std::string bytes() const;
  /// What is in them. Throws std::runtime_error.
  FoldTrace read() const;

private:
  std::string path_;
};

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_FOLDTRACE_H
