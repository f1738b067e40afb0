//===- AssignDelays.cpp - steps that do not wait in a round ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/AssignDelays.h"

#include "compiler/plan/Latency.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <numeric>

using namespace blink;

namespace {

/// The folds of all ranks, numbered one rank after the other as readyTimes has
/// them.
struct AllFolds {
  explicit AllFolds(FoldProgram &program)
      : writers(program.channels.size()), readers(program.channels.size()) {
    for (FoldProgram::Rank &rank : program.ranks)
      for (FoldProgram::Fold &fold : rank.folds) {
        for (const FoldProgram::Operand &from : rank.sourcesOf(fold))
          if (from.isChannel())
            readers[from.index] = folds.size();
        auto &out = written.emplace_back();
        for (const FoldProgram::Operand &to : rank.destinationsOf(fold))
          if (to.isChannel()) {
            writers[to.index] = folds.size();
            out.push_back(to.index);
          }
        folds.push_back(&fold);
      }
  }

  std::vector<FoldProgram::Fold *> folds;
  std::vector<std::vector<int>> written; ///< channels, by fold
  std::vector<size_t> writers, readers;  ///< folds, by channel
};

} // namespace

void blink::assignDelays(FoldProgram &program) {
  const AllFolds all(program);
  const std::vector<double> hops = readyTimes(program, kCountHops);
  std::vector<size_t> lastFirst(all.folds.size());
  std::iota(lastFirst.begin(), lastFirst.end(), 0);
  std::stable_sort(lastFirst.begin(), lastFirst.end(),
                   [&](size_t a, size_t b) { return hops[a] > hops[b]; });

  std::vector<int> delays(all.folds.size());
  for (size_t fold : lastFirst) {
    delays[fold] = int(hops[fold]);
    if (all.written[fold].empty())
      continue;
    int soonest = INT_MAX;
    for (int channel : all.written[fold])
      soonest = std::min(soonest, delays[all.readers[channel]]);
    delays[fold] = soonest - 1;
  }

  bool fits = true;
  for (size_t channel = 0; channel < program.channels.size(); ++channel)
    fits &= delays[all.readers[channel]] - delays[all.writers[channel]] == 1;
  for (size_t fold = 0; fold < delays.size(); ++fold) {
    fits &= delays[fold] >= 0 && delays[fold] <= UINT16_MAX;
    all.folds[fold]->delay = delays[fold];
  }
  if (!fits)
    for (FoldProgram::Fold *fold : all.folds)
      fold->delay = 0;
}
