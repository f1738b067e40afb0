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

/// The CUDA device of each rank: as given; or as the machine numbers the ranks'
/// GPUs; or rank r on device r. Throws UsageError: given for another number of
/// ranks.
std::vector<int> devicesOf(const Options &options, const Plan &plan);

/// Of the largest reduction.
size_t referenceBytes(const Plan &plan);

/// Of a clock that never goes back.
double secondsNow();

/// How a run ended.
struct RunEnd {
  std::string error;      ///< "", or the sentence of the first failure
  double joinSeconds = 0; ///< until all ranks had a communicator
};

/// Measures the plan's cases with one thread, threads or processes. `report` is
/// called in this thread, in order, as soon as a case is done.
RunEnd
runBench(const Options &options, const Plan &plan,
         const std::function<void(size_t index, const Result &)> &report);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_BENCH_H
