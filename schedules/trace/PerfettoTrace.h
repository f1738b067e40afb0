//===- PerfettoTrace.h - replays for Perfetto -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Perfetto's trace format, a Protocol Buffers message (perfetto.dev, "Synthetic
// track events"). A process is a rank and a thread is a lane. A slice is a fold
// of one chunk, annotated with its waiting time and the bytes it moved. Flows
// lead from the fold that wrote a chunk to the fold that read it. A counter
// shows the rate that a link carries, in GB/s. Files of several processes of
// one job form one trace when they are concatenated (`cat`).
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_TRACE_PERFETTOTRACE_H
#define BLINK_SCHEDULES_TRACE_PERFETTOTRACE_H

#include "schedules/trace/ReplayTrace.h"

#include <string_view>

namespace blink::sched {

/// Returns the bytes of a trace file. Folds of steps that are missing in
/// `variants` get no flows. Without `links` there are no counters, as for one
/// of several processes, which does not know what the others send.
std::string toPerfetto(const ReplayTrace &trace);

/// Reads the folds, the names of ranks and the names of variants from one or
/// several concatenated results of toPerfetto, or from other traces as far as
/// they look like these. Returns a description of the error, or "". Errors:
/// bytes that are no such trace; slices that have no end or belong to no lane;
/// no slices.
std::string fromPerfetto(std::string_view bytes, ReplayTrace &trace);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_TRACE_PERFETTOTRACE_H
