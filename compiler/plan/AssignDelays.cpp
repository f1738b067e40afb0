//===- AssignDelays.cpp - steps that do not wait in a round ---------------===//
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

void blink::assignDelays(FoldProgram &program, llvm::ArrayRef<double> hops,
                         int lag) {
  struct Ends {
    size_t writer = 0, reader = 0;
  };
  std::vector<FoldProgram::Fold *> folds;
  std::vector<Ends> channels(program.channels.size());
  for (FoldProgram::Rank &rank : program.ranks)
    for (FoldProgram::Fold &fold : rank.folds) {
      for (const FoldProgram::Operand &from : rank.sourcesOf(fold))
        if (from.isChannel())
          channels[from.index].reader = folds.size();
      for (const FoldProgram::Operand &to : rank.destinationsOf(fold))
        if (to.isChannel())
          channels[to.index].writer = folds.size();
      folds.push_back(&fold);
    }

  // From the ends of the data on: whatever a fold writes is looked at before
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

int blink::leastLag(const FoldProgram &program, uint32_t chunkBytes) {
  const double round =
      chunkBytes /
      (largestShare(program) * rateOfLinks(program) * kBytesPerMicrosecond);
  return latencyOf(program) <= round ? 1 : 2;
}
