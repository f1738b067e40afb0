//===- SpreadTrees.h - fast trees over several lanes ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A lane is one thread block on a GPU, and moves what a thread block can. A
// tree that asks for more becomes several equal trees of its shape, each with
// lanes of its own, so that together they carry what it did: loads, rate and
// bound stay the same.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_SPREADTREES_H
#define BLINK_COMPILER_PLAN_SPREADTREES_H

#include "compiler/packing/Packing.h"
#include "compiler/plan/TimeModel.h"

namespace blink {

/// Of each tree of the packing that `program` was made of: GB/s that its
/// busiest fold moves, with zero copy.
std::vector<double> busiestFolds(const FoldProgram &program,
                                 const Packing &packing);

/// How even the lanes are that move something.
struct LaneBalance {
  double fullest = 1; ///< of the mean: what the fullest lane of a rank moves
  bool idle = false;  ///< a rank that moves something has a lane that does not

  bool isEven() const { return !idle && fullest <= 1.3; }
  void include(const LaneBalance &rank);
};

/// The lanes of one rank.
LaneBalance balanceOf(const FoldProgram &program, const FoldProgram::Rank &rank,
                      Protocol protocol);

/// Into how many equal trees each tree goes; empty where all stay whole. Only
/// forests with a fold more than a quarter above the limit of a lane
/// (ProtocolCosts) are split, and first no further than to it. Where the lanes
/// of a rank do not suffice for that, some share one: then of the splits down
/// to equal loads the one that the model of time finds the fastest for
/// kReferenceBytes; of equal ones that of the fewest trees. Where the folds of
/// a rank then take all lanes, and some of these move little or nothing, the
/// trees are split further: until lanes are even, or else as even as they get
/// in `limits.maxLanes` parts and 256 channels that a rank reads. No more than
/// `maxTrees` in all, unless that is 0 or there are more already. Between
/// servers also forests below that limit, all trees alike, while twice as many
/// parts take a tenth less by the model and fill pipelines within 5 % of four
/// times kReferenceBytes: a lane then has the messages of fewer. Errors: as of
/// expandForest.
llvm::Expected<std::vector<unsigned>> spreadTrees(const PackingProblem &problem,
                                                  const Packing &packing,
                                                  ScheduleLimits limits,
                                                  size_t maxTrees);

/// The same, or each tree first in evenParts (FairRate.h) where that isFaster
/// on links that share themselves fairly; no more than `maxTrees` likewise. In
/// one lane trees wait for each other anyway. Then in more or fewer parts where
/// that makes 16 to 256 MiB shorter, and on one machine, in lanes that are
/// left, in more where it makes 4 MiB a 20th shorter and those no longer.
llvm::Expected<std::vector<unsigned>> chooseParts(const PackingProblem &problem,
                                                  const Packing &packing,
                                                  ScheduleLimits limits,
                                                  size_t maxTrees);

/// The folds of `packing` in lanes, for `simple`, its trees in so many parts
/// each, or whole where `parts` is empty. Errors: as of expandForest.
llvm::Expected<FoldProgram> planParts(const PackingProblem &problem,
                                      const Packing &packing,
                                      std::vector<unsigned> parts,
                                      ScheduleLimits limits);

/// The time that `packing` takes for large messages in the parts that
/// chooseParts says, if links keep to its weights.
llvm::Expected<MessageTime> timeInParts(const PackingProblem &problem,
                                        const Packing &packing,
                                        ScheduleLimits limits, size_t maxTrees);

/// A forest with the time that it takes.
struct TimedPacking {
  Packing packing;
  MessageTime time;
};

/// Trees for small messages likewise: of powers of two up to `maxLanes` the
/// parts that are the fastest for kSmallReferenceBytes; of equals the fewest.
/// Between servers those that are a hundredth faster than fewer: each message
/// has headers, which the model takes for nothing.
llvm::Expected<TimedPacking> spreadSmallTrees(const PackingProblem &problem,
                                              const Packing &packing,
                                              Protocol protocol,
                                              unsigned maxLanes);

/// The shares of the parts of a block's trees, which have numerators over one
/// denominator.
struct SpreadShares {
  std::vector<std::vector<uint32_t>> numerators; ///< per tree, of its parts
  uint32_t denominator = 1;
};

/// Each part of a tree gets the same; where no denominator of 32 bits can say
/// so, as near to it as the one they have allows. A tree goes into no more
/// parts than its numerator has units then. The sums are those of the trees.
SpreadShares spreadShares(const std::vector<uint32_t> &numerators,
                          uint32_t denominator,
                          const std::vector<unsigned> &parts);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_SPREADTREES_H
