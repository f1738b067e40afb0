//===- TraceDiff.cpp - two traces side by side ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/TraceDiff.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

using namespace blink;

namespace {

struct StepTimes {
  double folds = 0, waited = 0; ///< microseconds
};
using StepKey = std::tuple<uint32_t, uint32_t, uint32_t>; // rank, lane, step

/// The times of one trace, by step and by call.
struct TraceTimes {
  std::map<StepKey, StepTimes> steps; ///< per call
  std::vector<double> spans;          ///< of each call
};

} // namespace

static TraceTimes timesOf(const sched::ReplayTrace &trace) {
  struct Lane {
    const sched::TracedFold *first = nullptr;
    uint64_t calls = 0;
  };
  struct Span {
    uint64_t begin = UINT64_MAX, end = 0;
  };
  TraceTimes times;
  std::map<std::pair<uint32_t, uint32_t>, Lane> lanes;
  std::vector<Span> spans;
  for (const sched::TracedFold &fold : trace.folds) {
    Lane &lane = lanes[{fold.rank, fold.lane}];
    const bool isFirst = !lane.first;
    if (isFirst)
      lane.first = &fold;
    if (fold.step == lane.first->step && fold.chunk == lane.first->chunk)
      ++lane.calls;
    if (spans.size() < lane.calls)
      spans.resize(lane.calls);
    Span &span = spans[lane.calls - 1];
    span.begin = std::min(span.begin, fold.begin);
    span.end = std::max(span.end, fold.end);
    StepTimes &step = times.steps[{fold.rank, fold.lane, fold.step}];
    step.folds += double(fold.end - fold.begin) * 1e-3;
    // The first wait would include what the lane did before the call.
    if (!isFirst)
      step.waited += double(fold.waited) * 1e-3;
  }
  for (auto &[key, step] : times.steps) {
    const auto calls =
        double(lanes[{std::get<0>(key), std::get<1>(key)}].calls);
    step.folds /= calls;
    step.waited /= calls;
  }
  for (const Span &span : spans)
    times.spans.push_back(double(span.end - span.begin) * 1e-3);
  return times;
}

static double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  llvm::sort(values);
  return (values[values.size() / 2] + values[(values.size() - 1) / 2]) / 2;
}

TraceDiff blink::diffTraces(const sched::ReplayTrace &before,
                            const sched::ReplayTrace &after) {
  const sched::ReplayTrace *traces[2] = {&before, &after};
  TraceDiff diff;
  std::map<StepKey, std::array<const StepTimes *, 2>> steps;
  const TraceTimes times[2] = {timesOf(before), timesOf(after)};
  for (int side : {0, 1}) {
    diff.calls[side] = times[side].spans.size();
    diff.span[side] = median(times[side].spans);
    for (const auto &[key, step] : times[side].steps) {
      diff.folds[side] += step.folds;
      diff.waited[side] += step.waited;
      steps[key][side] = &step;
    }
  }
  for (const auto &[key, both] : steps) {
    if (!both[0] || !both[1]) {
      ++diff.alone[both[0] ? 0 : 1];
      continue;
    }
    TraceStepDiff step;
    const auto [rank, lane, number] = key;
    for (const sched::ReplayTrace *trace : traces)
      if (step.rank.empty() && rank < trace->ranks.size())
        step.rank = trace->ranks[rank];
    if (step.rank.empty())
      step.rank = "rank " + std::to_string(rank);
    step.lane = lane;
    step.step = number;
    for (int side : {0, 1}) {
      step.folds[side] = both[side]->folds;
      step.waited[side] = both[side]->waited;
    }
    diff.steps.push_back(std::move(step));
  }
  llvm::stable_sort(diff.steps,
                    [](const TraceStepDiff &a, const TraceStepDiff &b) {
                      return std::abs(a.change()) > std::abs(b.change());
                    });
  return diff;
}
