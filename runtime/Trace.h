//===- Trace.h - folds over time, for Perfetto ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// With BLINK_TRACE=FILE in the environment, every communicator of the process
// writes what its lanes did, and when, to FILE (then FILE.1, FILE.2, ...) when
// it is destroyed, in the format of schedules/trace/PerfettoTrace.h.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_TRACE_H
#define BLINK_RUNTIME_TRACE_H

#include "runtime/core/TraceEvent.h"
#include "runtime/plan/Plan.h"

#include <functional>
#include <string>

namespace blink::runtime {

/// Returns true if BLINK_TRACE asks for traces.
bool wantsTraces();

/// Returns the file for the next communicator of this process; "" if no trace
/// is wanted. The last `%p` in BLINK_TRACE becomes the process's number, so
/// that the processes of a job do not write to the same file.
std::string nextTraceFile();

/// Writes the traces of all lanes of all ranks to the file `path`; does nothing
/// if `path` is "". `traceOf` returns null for a lane that has no trace. Logs a
/// warning if the file cannot be written.
void writeTraces(
    const std::string &path, const Plan &plan, size_t numRanks,
    const std::function<const LaneTrace *(size_t rank, uint32_t lane)>
        &traceOf);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_TRACE_H
