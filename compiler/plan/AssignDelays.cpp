//===- AssignDelays.cpp - delays that keep folds from waiting -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/AssignDelays.h"

#include "compiler/plan/Latency.h"
#include "compiler/plan/TimeModel.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <vector>

using namespace blink;

namespace {

/// The folds at the ends of a channel, numbered rank by rank.
struct Ends {
  size_t writer = 0, reader = 0;
};

} // namespace

static std::vector<Ends> endsOf(const FoldProgram &program) {
  std::vector<Ends> channels(program.channels.size());
  size_t fold = 0;
  for (const FoldProgram::Rank &rank : program.ranks)
    for (const FoldProgram::Fold &of : rank.folds) {
      for (const FoldProgram::Operand &from : rank.sourcesOf(of))
        if (from.isChannel())
          channels[from.index].reader = fold;
      for (const FoldProgram::Operand &to : rank.destinationsOf(of))
        if (to.isChannel())
          channels[to.index].writer = fold;
      ++fold;
    }
  return channels;
}

void blink::assignDelays(FoldProgram &program, llvm::ArrayRef<double> hops,
                         int lag) {
  std::vector<FoldProgram::Fold *> folds;
  for (FoldProgram::Rank &rank : program.ranks)
    for (FoldProgram::Fold &fold : rank.folds)
      folds.push_back(&fold);
  std::vector<Ends> channels = endsOf(program);

  // Start at the ends of the data: all that a fold writes is visited before
  // what it reads.
  std::stable_sort(channels.begin(), channels.end(),
                   [&](const Ends &a, const Ends &b) {
                     return hops[a.reader] > hops[b.reader];
                   });
  constexpr int kWritesNone = INT_MAX;
  std::vector<int> delays(folds.size(), kWritesNone);
  auto delayOf = [&](size_t fold) {
    return delays[fold] == kWritesNone ? int(hops[fold]) * lag : delays[fold];
  };
  for (const Ends &channel : channels)
    delays[channel.writer] =
        std::min(delays[channel.writer], delayOf(channel.reader) - lag);

  bool fits = llvm::all_of(channels, [&](const Ends &channel) {
    return delayOf(channel.reader) - delayOf(channel.writer) == lag;
  });
  for (size_t fold = 0; fold < folds.size(); ++fold)
    fits &= delayOf(fold) >= 0 && delayOf(fold) <= UINT16_MAX;
  for (size_t fold = 0; fold < folds.size(); ++fold)
    folds[fold]->delay = fits ? delayOf(fold) : 0;
}

/// Returns true if lanes keep to rounds of `period` microseconds, where a
/// channel takes `transfer` for a chunk and then its latency. Uses the rule of
/// Bellman and Ford: the time of each fold within its round is postponed for
/// what it waits for, until no fold waits any more, or until a circle of folds
/// turns out to wait for itself.
static bool keepsPeriod(const FoldProgram &program, double transfer,
                        double period) {
  // If more passes are needed, some folds wait in a circle, or nearly so.
  constexpr int kMostPasses = 64;
  constexpr double kRounding = 1e-9;
  std::vector<int> delays;
  for (const FoldProgram::Rank &rank : program.ranks)
    for (const FoldProgram::Fold &fold : rank.folds)
      delays.push_back(fold.delay);
  std::vector<double> times(delays.size(), 0);
  bool moved = true;
  auto wait = [&](size_t fold, double time) {
    if (time <= times[fold] + kRounding * period)
      return;
    times[fold] = time;
    moved = true;
  };
  const std::vector<Ends> channels = endsOf(program);
  std::vector<double> waits; // between the times of writer and reader
  for (auto [channel, ends] : llvm::zip_equal(program.channels, channels))
    waits.push_back(transfer + program.latencyOf(channel) -
                    period * (delays[ends.reader] - delays[ends.writer]));
  for (int pass = 0; moved; ++pass) {
    if (pass == kMostPasses)
      return false;
    moved = false;
    for (auto [ends, after] : llvm::zip_equal(channels, waits))
      wait(ends.reader, times[ends.writer] + after);
    size_t before = 0; // folds of the ranks so far
    for (const FoldProgram::Rank &rank : program.ranks) {
      for (const std::vector<size_t> &lane : rank.lanes) {
        wait(before + lane.front(), times[before + lane.back()] - period);
        for (size_t i = 1; i < lane.size(); ++i)
          wait(before + lane[i], times[before + lane[i - 1]]);
      }
      before += rank.folds.size();
    }
  }
  return true;
}

int blink::leastLag(const FoldProgram &program, uint32_t chunkBytes) {
  constexpr double kLonger = 1.01;
  const double round =
      chunkBytes /
      (largestShare(program) * rateOfLinks(program) * kBytesPerMicrosecond);
  return latencyOf(program) <= round ||
                 keepsPeriod(program, round, kLonger * round)
             ? 1
             : 2;
}
