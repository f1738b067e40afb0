//===- Bench.h - runs all cases in one of the modes -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_BENCH_H
#define BLINK_TOOLS_BLINKPERF_BENCH_H

#include "tools/blink-perf/Cases.h"
#include "tools/blink-perf/Shared.h"

#include <functional>

namespace blink::perf {

/// Returns the CUDA device of each rank: those that were given, or the devices
/// that have the numbers of the ranks' GPUs, or device r for rank r. Throws
/// UsageError: devices were given for a different number of ranks.
std::vector<int> devicesOf(const Options &options, const Plan &plan);

/// Returns the input bytes of the largest reduction.
size_t referenceBytes(const Plan &plan);

/// Returns the time of a monotonic clock.
double secondsNow();

/// How a run ended.
struct RunEnd {
  std::string error;      ///< "", or the sentence of the first failure
  double joinSeconds = 0; ///< until all ranks had communicators
};

/// Measures the plan's cases with one thread, threads or processes. Calls
/// `report` in this thread, in order, as soon as each case is done.
RunEnd
runBench(const Options &options, const Plan &plan,
         const std::function<void(size_t index, const Result &)> &report);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_BENCH_H
