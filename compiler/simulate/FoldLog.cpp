//===- FoldLog.cpp - what folds of a simulation waited for ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/FoldLog.h"

#include <algorithm>
#include <utility>

using namespace blink;

void FoldLog::wait(size_t number, double now) {
  Lane &lane = lanes_[number];
  if (lane.waits)
    return;
  lane.waits = true;
  lane.waitsSince = now;
}

void FoldLog::begin(size_t number, WaitCause cause, double now,
                    double duration) {
  Lane &lane = lanes_[number];
  const auto run = uint32_t(runs_.size());
  uint32_t chunk = 0;
  if (lane.waits) {
    const double waited = now - lane.waitsSince;
    lane.waits = false;
    if (cause.kind != WaitKind::lane) {
      (cause.kind == WaitKind::data ? lane.times.data : lane.times.slots) +=
          waited;
      lane.byChannel[cause.channel] += waited;
    }
  } else {
    cause = {}; // it did not wait
  }
  if (cause.kind != WaitKind::lane)
    chunk = uint32_t(
        (cause.kind == WaitKind::data ? readers_ : writers_)[cause.channel]
            .size());
  lane.times.folds += duration;
  runs_.push_back({now, lane.any ? lane.last : run, cause, chunk});
  lane.last = run;
  lane.any = true;
}

void FoldLog::reads(uint32_t channel) {
  readers_[channel].push_back(uint32_t(runs_.size() - 1));
}

void FoldLog::writes(uint32_t channel) {
  writers_[channel].push_back(uint32_t(runs_.size() - 1));
}

std::vector<CriticalPart>
FoldLog::criticalPath(const std::vector<uint32_t> &groups,
                      const std::vector<uint32_t> &slots) const {
  std::map<std::pair<WaitKind, uint32_t>, CriticalPart> parts;
  uint32_t run = 0;
  for (uint32_t r = 0; r < runs_.size(); ++r)
    if (runs_[r].time >= runs_[run].time)
      run = r;
  while (!runs_.empty()) {
    const Run &at = runs_[run];
    const auto [kind, channel] = at.cause;
    uint32_t before = at.before;
    if (kind == WaitKind::data)
      before = writers_[channel][at.chunk];
    else if (kind == WaitKind::slot)
      before = readers_[channel][at.chunk - slots[channel]];
    if (before == run)
      break;
    CriticalPart &part =
        parts[{kind, kind == WaitKind::lane ? 0 : groups[channel]}];
    part.cause = at.cause;
    part.microseconds += at.time - runs_[before].time;
    ++part.folds;
    run = before;
  }
  std::vector<CriticalPart> path;
  for (const auto &[key, part] : parts)
    path.push_back(part);
  std::stable_sort(path.begin(), path.end(),
                   [](const CriticalPart &a, const CriticalPart &b) {
                     return a.microseconds > b.microseconds;
                   });
  return path;
}

std::vector<LaneTimes> FoldLog::laneTimes() const {
  std::vector<LaneTimes> times;
  for (const Lane &lane : lanes_) {
    LaneTimes &of = times.emplace_back(lane.times);
    double most = 0;
    for (const auto &[channel, waited] : lane.byChannel)
      if (waited > most) {
        most = waited;
        of.channel = channel;
      }
  }
  return times;
}
