//===- SpreadTrees.h - fast trees over several lanes ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A lane is one thread block on a GPU, and limited to what a thread block can
// move. A tree that needs more becomes several equal trees of the same shape,
// each with lanes of its own, which together carry what the one tree did:
// loads, rate and bound stay the same.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_SPREADTREES_H
#define BLINK_COMPILER_PLAN_SPREADTREES_H

#include "compiler/packing/Packing.h"
#include "compiler/plan/TimeModel.h"

namespace blink {

/// Returns, for each tree of the packing that `program` was made of, the GB/s
/// that its busiest fold moves with zero copy.
std::vector<double> busiestFolds(const FoldProgram &program,
                                 const Packing &packing);

/// How evenly the lanes that move something are loaded.
struct LaneBalance {
  double fullest = 1; ///< load of a rank's fullest lane over the mean
  bool idle = false;  ///< a lane moves nothing, though its rank does

  bool isEven() const { return !idle && fullest <= 1.3; }
  void include(const LaneBalance &rank);
};

/// Returns the balance of the lanes of one rank.
LaneBalance balanceOf(const FoldProgram &program, const FoldProgram::Rank &rank,
                      Protocol protocol);

/// Returns the number of equal parts into which to split each tree; empty if
/// all trees stay whole.
///
/// Only forests with a fold more than a quarter above the limit of a lane
/// (ProtocolCosts) are split, at first no further than to that limit. If a rank
/// has too few lanes for that, parts share lanes; then, of the splits down to
/// equal loads, the one is taken that is the fastest for kReferenceBytes by the
/// model of time, and on a tie the one with the fewest trees. If the folds of a
/// rank then take all lanes, and some of these move little or nothing, the
/// trees are split further: until lanes are even, or as even as they get with
/// `limits.maxLanes` parts and 256 channels that a rank reads. There are no
/// more than `maxTrees` parts in all, unless that is 0 or there are already
/// more trees.
///
/// Between servers, forests below that limit are split as well, all trees
/// alike, so that a lane has the messages of fewer trees: parts are doubled as
/// long as that saves a tenth of the time by the model and pipelines fill
/// within 5 % of the time of four times kReferenceBytes. Errors: as of
/// expandForest.
llvm::Expected<std::vector<unsigned>> spreadTrees(const PackingProblem &problem,
                                                  const Packing &packing,
                                                  ScheduleLimits limits,
                                                  size_t maxTrees);

/// Returns the parts of spreadTrees, or of each tree split first into evenParts
/// (FairRate.h) if isWorthwhile prefers these on links that share themselves
/// fairly; also no more than `maxTrees`. With one lane trees wait for each
/// other anyway, so even parts are not tried. Then takes more or fewer parts if
/// that makes 16 to 256 MiB shorter. On one machine it may also use idle lanes
/// for more parts, if that makes 4 MiB a 20th shorter and those sizes no
/// longer.
llvm::Expected<std::vector<unsigned>> chooseParts(const PackingProblem &problem,
                                                  const Packing &packing,
                                                  ScheduleLimits limits,
                                                  size_t maxTrees);

/// Returns `packing` with `parts[t]` equal trees in place of its tree t, one
/// after the other.
Packing splitPacking(const Packing &packing,
                     const std::vector<unsigned> &parts);

/// Returns the folds of `packing` in lanes, for `simple`, with each tree split
/// into its `parts`, or whole if `parts` is empty. Errors: as of expandForest.
llvm::Expected<FoldProgram> planParts(const PackingProblem &problem,
                                      const Packing &packing,
                                      std::vector<unsigned> parts,
                                      ScheduleLimits limits);

/// Returns the time that `packing` takes for large messages in the parts of
/// chooseParts, if links keep to its weights.
llvm::Expected<MessageTime> timeInParts(const PackingProblem &problem,
                                        const Packing &packing,
                                        ScheduleLimits limits, size_t maxTrees);

/// A forest and the time that it takes.
struct TimedPacking {
  Packing packing;
  MessageTime time;
  double incast = 0; ///< incastOf its program, which `time` does not count
};

/// Splits trees for small messages: into the power of two up to `maxLanes` of
/// parts that is the fastest for kSmallReferenceBytes; on a tie the smallest.
/// Between servers more parts must be 1 % faster, since the model does not
/// count the headers of their messages.
llvm::Expected<TimedPacking> spreadSmallTrees(const PackingProblem &problem,
                                              const Packing &packing,
                                              Protocol protocol,
                                              unsigned maxLanes);

/// The shares of the parts of a block's trees: numerators over one common
/// denominator.
struct SpreadShares {
  std::vector<std::vector<uint32_t>> numerators; ///< by tree and part
  uint32_t denominator = 1;
};

/// Returns shares in which all parts of a tree get the same. If no denominator
/// of 32 bits allows that, they are as equal as the given denominator allows,
/// and a tree has no more parts than its numerator has units. The parts of a
/// tree add up to its share.
SpreadShares spreadShares(const std::vector<uint32_t> &numerators,
                          uint32_t denominator,
                          const std::vector<unsigned> &parts);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_SPREADTREES_H
