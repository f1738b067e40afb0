//===- Trace.h - folds over time, for chrome://tracing ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// With BLINK_TRACE=FILE in the environment every communicator of the process
// writes what its lanes did, and when, to FILE (then FILE.1, FILE.2, ...) when
// it is gone: Chrome's trace format, which Perfetto opens too. A process is a
// rank, a thread is a lane, a slice is a fold of one chunk.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_TRACE_H
#define BLINK_RUNTIME_TRACE_H

#include "runtime/core/TraceEvent.h"

#include <string>

namespace blink::runtime {

/// The file for the next communicator of this process; "" if none is wanted. A
/// `%p` in BLINK_TRACE becomes the number of the process, so that processes of
/// one job do not write into one file.
std::string nextTraceFile();

/// Writes a trace file, rank by rank.
class TraceWriter {
public:
  explicit TraceWriter(std::string path) : path_(std::move(path)) {}
  /// Logs a warning if the file cannot be written.
  ~TraceWriter();

  void add(int rank, uint32_t lane, const LaneTrace &trace);

private:
  std::string path_;
  std::string events_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_TRACE_H
