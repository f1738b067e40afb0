//===- Latency.h - how long the first byte travels --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_LATENCY_H
#define BLINK_COMPILER_REPORT_LATENCY_H

#include "schedules/schedule_generated.h"

namespace blink {

/// Microseconds until the last step has what it reads, when data has no size: a
/// step waits for its channels, then each channel it writes takes the latencies
/// of its links. What lanes and buffers cost is not in it. Linear in
/// the program; steps that wait in a circle (a schedule that is not verified)
/// count as if they did not wait for each other.
double latencyOf(const sched::Schedule &file, const sched::Variant &variant);

/// Most channels that data takes one after the other, counted likewise: twice
/// the depth of an allreduce's tree, and 1 where all ranks exchange at once.
int hopsOf(const sched::Schedule &file, const sched::Variant &variant);

/// The latency with what steps and further channels cost by the variant's
/// protocol (compiler/packing/TimeModel.h): what a small message may take.
double startOf(const sched::Schedule &file, const sched::Variant &variant);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_LATENCY_H
