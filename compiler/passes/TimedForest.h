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
  Packing takePacking() { return std::move(packing_); }
  double rate() const { return packing_.algbw; }
  /// The part of its rate that the forest keeps.
  double part() const { return part_; }
  /// A time in microseconds that represents all long messages (TimeModel.h).
  double timeOfLong() const { return timeOfLong_; }
  /// The times of short messages, which do not depend on the part kept.
  /// Simulated on the first call.
  llvm::Expected<ShortTimes> shortTimes();
  const std::optional<ShortTimes> &knownShortTimes() const {
    return shortTimes_;
  }

  /// Returns true if fluids that share links fairly keep to the forest's
  /// weights.
  bool isFair(const PackingProblem &problem) const;
  /// Sets the part of the rate that is kept.
  void keep(double part);
  /// Finds the part that is kept by simulation. If it is below `least`, the
  /// value set may be any number below `least`.
  llvm::Error simulate(double least);

private:
  TimedForest(Packing packing, std::vector<unsigned> parts,
              FoldProgram program);

  Packing packing_;
  std::vector<unsigned> parts_; ///< of each tree
  FoldProgram program_;
  MessageTime ofLinks_; ///< if the whole rate is kept
  double part_ = 1;
  double timeOfLong_;
  std::optional<ShortTimes> shortTimes_;
};

} // namespace blink

#endif // BLINK_COMPILER_PASSES_TIMEDFOREST_H
