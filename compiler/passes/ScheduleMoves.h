//===- ScheduleMoves.h - what the folds of a schedule move ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PASSES_SCHEDULEMOVES_H
#define BLINK_COMPILER_PASSES_SCHEDULEMOVES_H

#include "compiler/plan/FoldLoads.h"
#include "compiler/target/ForestIR.h"

#include "llvm/ADT/DenseMap.h"

namespace blink {

/// What each fold of a schedule op weighs in a lane, of the whole buffer.
class ScheduleMoves {
public:
  explicit ScheduleMoves(collective::ScheduleOp schedule);

  FoldLoad loadOf(collective::FoldOp fold) const;
  /// The part of the whole buffer that a fold carries.
  double shareOf(collective::FoldOp fold) const;
  /// That `share`, of the op's share ops, is of the whole buffer.
  double partOf(mlir::Attribute share) const { return parts_.lookup(share); }
  double largestPart() const;

private:
  sched::Protocol protocol_;
  llvm::DenseMap<mlir::Attribute, double> parts_;
  llvm::DenseMap<mlir::Operation *, FoldMoves> moves_;
};

} // namespace blink

#endif // BLINK_COMPILER_PASSES_SCHEDULEMOVES_H
