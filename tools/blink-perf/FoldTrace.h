//===- FoldTrace.h - the files that BLINK_TRACE writes ----------*- C++ -*-===//
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

/// A fold of one chunk; times in microseconds of the machine's clock.
struct TracedFold {
  double begin, end;
  double waited; ///< since the previous fold of its lane
  uint32_t variant;
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

/// The folds of each lane, in the order in which it ran them.
using FoldTrace = std::map<LaneKey, std::vector<TracedFold>>;

/// A temporary folder for traces. BLINK_TRACE points into it as long as it
/// exists; the destructor removes it with its files. If a signal ends this
/// process, a helper process removes it, as soon as processes that were forked
/// meanwhile have ended, too.
class TraceFolder {
public:
  /// Throws std::runtime_error.
  TraceFolder();
  ~TraceFolder();
  TraceFolder(const TraceFolder &) = delete;

  /// Returns the files of all processes that have ended, concatenated, which is
  /// a trace of all of them.
  std::string bytes() const;
  /// Parses the files. Throws std::runtime_error.
  FoldTrace read() const;

private:
  [[noreturn]] void help(int alive, int made);
  int makeInHelper();
  void stopHelper();

  std::string path_;
  int alive_ = -1;  ///< the helper waits until nobody has this pipe open
  int helper_ = -1; ///< process
};

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_FOLDTRACE_H
