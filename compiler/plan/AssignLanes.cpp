//===- AssignLanes.cpp - lanes for loose folds ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/AssignLanes.h"

#include "compiler/plan/AssignDelays.h"
#include "compiler/plan/FoldMoves.h"
#include "compiler/plan/Latency.h"
#include "schedules/Collectives.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <utility>

using namespace blink;

void blink::assignLanes(FoldProgram &program, sched::Protocol protocol,
                        unsigned maxLanes) {
  if (isPairwise(program.collective))
    return assignLanePerTree(program);
  std::vector<double> hops = readyTimes(program, kCountHops);
  if (llvm::all_of(program.ranks, [](const FoldProgram::Rank &rank) {
        return rank.lanes.empty();
      }))
    assignDelays(program, hops,
                 protocol == sched::Protocol::low_latency ? 1 : kLag);
  size_t before = 0; // folds of the ranks so far
  for (FoldProgram::Rank &rank : program.ranks) {
    if (rank.lanes.empty()) {
      std::vector<FoldLoad> loads;
      for (const FoldProgram::Fold &fold : rank.folds)
        loads.push_back(loadOf(program, rank, fold, protocol));
      rank.lanes = chooseLanes(loads, maxLanes);
      for (std::vector<size_t> &lane : rank.lanes)
        std::stable_sort(lane.begin(), lane.end(), [&](size_t a, size_t b) {
          return std::pair(rank.folds[a].delay, hops[before + a]) <
                 std::pair(rank.folds[b].delay, hops[before + b]);
        });
    }
    before += rank.folds.size();
  }
}

void blink::assignLanePerTree(FoldProgram &program) {
  for (FoldProgram::Rank &rank : program.ranks) {
    if (!rank.lanes.empty())
      continue;
    for (size_t fold = 0; fold < rank.folds.size(); ++fold) {
      if (fold == 0 || program.placeOf(rank, rank.folds[fold]) !=
                           program.placeOf(rank, rank.folds[fold - 1]))
        rank.lanes.emplace_back();
      rank.lanes.back().push_back(fold);
    }
  }
}
