//===- FoldLoads.h - what the folds of a forest move ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Forests are timed and spread over lanes before they have folds. These are the
// folds that collective-expand-folds will make of trees, without those of
// relays.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_FOLDLOADS_H
#define BLINK_COMPILER_PACKING_FOLDLOADS_H

#include "compiler/packing/LaneChoice.h"
#include "compiler/packing/Packing.h"

namespace blink {

/// How often a fold that reads and writes so many channels moves what its tree
/// carries: half as often, and once at least.
constexpr double movesOfFold(int channels) {
  return channels > 2 ? channels / 2.0 : 1;
}

/// A fold of a tree.
struct TreeFold {
  int rank;
  int channels; ///< that it reads and writes
  int buffers;  ///< likewise
  bool up;      ///< FoldLoad::up

  double moves() const { return movesOfFold(channels); }
};

/// The folds of `tree`, those of a rank in the order they get.
std::vector<TreeFold> foldsOf(const PackingProblem &problem, const Tree &tree);

/// The part of the whole buffer that `tree` carries.
double shareOfTree(const Packing &packing, const Tree &tree);

/// The folds of one rank, tree by tree.
struct RankFolds {
  std::vector<FoldLoad> loads; ///< of channels and buffers
  std::vector<double> shares;  ///< of the whole buffer
  std::vector<double> moves;   ///< of the whole buffer
  int channels = 0;            ///< that they read and write
};

/// One a rank, where tree t is `parts[t]` equal trees. Empty `parts` are ones.
std::vector<RankFolds> foldsOfRanks(const PackingProblem &problem,
                                    const Packing &packing,
                                    const std::vector<unsigned> &parts);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_FOLDLOADS_H
