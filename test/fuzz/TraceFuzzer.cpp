//===- TraceFuzzer.cpp - any bytes as a trace -----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A trace that can be read is written, and must be read again as the same
// folds.
//
//===----------------------------------------------------------------------===//

#include "schedules/trace/PerfettoTrace.h"
#include "test/fuzz/FuzzTarget.h"

#include <algorithm>
#include <tuple>

using namespace blink;
using test::require;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sched::ReplayTrace trace;
  if (!sched::fromPerfetto({reinterpret_cast<const char *>(data), size}, trace)
           .empty())
    return 0;
  sched::ReplayTrace again;
  require(sched::fromPerfetto(sched::toPerfetto(trace), again).empty(),
          "what was read can be written");
  auto byPlace = [](const sched::TracedFold &a, const sched::TracedFold &b) {
    return std::tie(a.rank, a.lane, a.begin, a.end, a.step, a.chunk) <
           std::tie(b.rank, b.lane, b.begin, b.end, b.step, b.chunk);
  };
  std::stable_sort(trace.folds.begin(), trace.folds.end(), byPlace);
  std::stable_sort(again.folds.begin(), again.folds.end(), byPlace);
  require(std::equal(trace.folds.begin(), trace.folds.end(),
                     again.folds.begin(), again.folds.end(),
                     [&](const auto &a, const auto &b) {
                       return !byPlace(a, b) && !byPlace(b, a) &&
                              a.bytes == b.bytes && a.waited == b.waited;
                     }),
          "and is the same");
  return 0;
}
