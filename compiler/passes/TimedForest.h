//===- TimedForest.h - a forest, and how long messages take -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PASSES_TIMEDFOREST_H
#define BLINK_COMPILER_PASSES_TIMEDFOREST_H

#include "compiler/packing/Packing.h"
#include "compiler/plan/FoldProgram.h"
#include "compiler/plan/TimeModel.h"
#include "compiler/simulate/ShortTimes.h"

#include "llvm/Support/Error.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace blink {

/// A forest in its final parts and lanes, with the part of its rate that it
/// keeps on links that divide themselves fairly, and the times of messages that
/// follow.
class TimedForest {
public:
  /// Creates a forest that is assumed to keep all of its rate.
  static llvm::Expected<TimedForest> create(const PackingProblem &problem,
                                            Packing packing);

  const Packing &packing() const { return packing_; }
  /// Returns the number of equal parts of each tree.
  const std::vector<unsigned> &parts() const { return parts_; }
  double rate() const { return packing_.algbw; }
  /// The part of its rate that the forest keeps; 0 if unknown.
  double part() const { return part_; }
  /// A time in microseconds that represents all long messages (TimeModel.h).
  double timeOfLong() const { return timeOfLong_; }
  /// Returns the microseconds that a message of kShortSizes[which] takes, which
  /// do not depend on the part kept. Simulated on the first call for a size.
  llvm::Expected<double> shortTime(size_t which);
  std::optional<double> knownShortTime(size_t which) const {
    return shortTimes_[which];
  }
  /// Returns a lower bound on this time: what the links alone take.
  double leastShortTime(size_t which) const {
    constexpr double kRounding = 1e-6;
    return double(kShortSizes[which]) * ofLinks_.flow.linkGap * (1 - kRounding);
  }

  /// Returns true if fluids that share links fairly keep to the forest's
  /// weights.
  bool isFair(const PackingProblem &problem) const;
  /// Sets the part of the rate that is kept.
  void keep(double part);
  /// Finds the part that is kept by simulation. If it is below `least`, the
  /// value set may be any number between the part and `least`.
  llvm::Error simulate(double least);

private:
  TimedForest(Packing packing, std::vector<unsigned> parts,
              FoldProgram program);

  Packing packing_;
  std::vector<unsigned> parts_;
  FoldProgram program_;
  MessageTime ofLinks_; ///< if the whole rate is kept
  double part_ = 1;
  double timeOfLong_;
  std::array<std::optional<double>, kShortSizes.size()> shortTimes_;
};

} // namespace blink

#endif // BLINK_COMPILER_PASSES_TIMEDFOREST_H
