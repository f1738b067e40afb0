//===- PerfettoTrace.h - replays for Perfetto -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Perfetto's trace format, a Protocol Buffers message (perfetto.dev, "Synthetic
// track events"). A process is a rank and a thread a lane; a slice is a fold of
// one chunk, with what it had to wait and to move; flows lead from who wrote a
// chunk to who read it; a counter is what a link carries, in GB/s. Files of
// several processes of one job make one trace when they are put together
// (`cat`).
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_TRACE_PERFETTOTRACE_H
#define BLINK_SCHEDULES_TRACE_PERFETTOTRACE_H

#include "schedules/trace/ReplayTrace.h"

#include <string_view>

namespace blink::sched {

/// The bytes of a trace file. Folds of steps that `variants` does not have get
/// no flows, and without `links` there are no counters, as in one process of
/// several, which does not know what the others send.
std::string toPerfetto(const ReplayTrace &trace);

/// The folds, ranks' names and variants' names of what toPerfetto wrote, once
/// or several times one behind the other; of other traces, what looks like it.
/// Returns what is wrong, "" if nothing is: bytes that are no such trace,
/// slices that do not end or are no lane's, none at all.
std::string fromPerfetto(std::string_view bytes, ReplayTrace &trace);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_TRACE_PERFETTOTRACE_H
