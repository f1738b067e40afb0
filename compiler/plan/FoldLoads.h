//===- FoldLoads.h - what the folds of a forest move ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Forests are timed and spread over lanes before they have folds. These are the
// folds that collective-expand-folds will make of trees, without those of
// relays.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_FOLDLOADS_H
#define BLINK_COMPILER_PLAN_FOLDLOADS_H

#include "compiler/packing/Packing.h"
#include "compiler/plan/FoldMoves.h"
#include "compiler/plan/LaneChoice.h"

namespace blink {

/// How often a lane moves a chunk that it loads and stores so many times: a
/// copy, one load and one store, is one.
constexpr double movesOf(double loadsAndStores) { return loadsAndStores / 2; }

/// What a fold that carries `share` of the buffer weighs in a lane. Words of
/// low_latency always go through slots.
inline FoldLoad loadOf(const FoldMoves &moves, double share, bool up,
                       sched::Protocol protocol) {
  bool direct = protocol == sched::Protocol::simple;
  return {share * (direct ? moves.direct : moves.slots), share * moves.slots,
          up};
}

/// A fold of a tree.
struct TreeFold {
  int rank;
  int channels; ///< that it reads and writes
  bool up;      ///< FoldLoad::up
  FoldMoves moves;
};

/// The folds of `tree`, those of a rank in the order they get.
std::vector<TreeFold> foldsOf(const PackingProblem &problem, const Tree &tree);

/// Of each tree of a packing.
using ForestFolds = std::vector<std::vector<TreeFold>>;
ForestFolds foldsOf(const PackingProblem &problem, const Packing &packing);

/// The part of the whole buffer that `tree` carries.
double shareOfTree(const Packing &packing, const Tree &tree);

/// The folds of one rank, tree by tree.
struct RankFolds {
  std::vector<FoldLoad> loads;
  std::vector<double> shares; ///< of the whole buffer
  int channels = 0;           ///< that they read and write
};

/// One a rank, where tree t is `parts[t]` equal trees. Empty `parts` are ones.
std::vector<RankFolds> foldsOfRanks(const Packing &packing,
                                    const ForestFolds &folds, int numRanks,
                                    sched::Protocol protocol,
                                    const std::vector<unsigned> &parts);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_FOLDLOADS_H
