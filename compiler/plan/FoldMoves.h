//===- FoldMoves.h - what folds move, with and without slots ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A fold loads its sources and stores its destinations. Where the runtime can
// reach both ranks' buffers it leaves some of that out (zero copy): a *direct*
// channel's reader just copies the chunk to its output, so the writer puts it
// there; a *lent* channel's writer just passes its input on, so the reader
// reads that. A fold that has nothing left to write is *passive*: it moves
// nothing, in no round of its lane. runtime/Plan.cpp has the same rules for
// what it replays.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_FOLDMOVES_H
#define BLINK_COMPILER_PLAN_FOLDMOVES_H

#include "schedules/schedule_generated.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace blink {

/// Loads and stores of a fold, each of all that its tree carries.
struct FoldMoves {
  int direct = 0; ///< with zero copy; 0: it is passive
  int slots = 0;  ///< where every channel has its slots
};

/// The folds of a forest or schedule.
class FoldTable {
public:
  /// Operands are channels, by their numbers, or one of these.
  static constexpr int kInput = -1, kOutput = -2;

  explicit FoldTable(sched::Collective collective) : collective_(collective) {}

  /// The next channel, from 0 on. Only those of kind peer join buffers that
  /// both ranks can reach.
  int addChannel(sched::ChannelKind kind);
  /// The next fold. Channels may be added later.
  void addFold(int rank, int tree, bool completes, llvm::ArrayRef<int> sources,
               llvm::ArrayRef<int> destinations);

  /// Of each fold, in their order.
  std::vector<FoldMoves> moves() const;

private:
  struct Fold {
    int rank, tree;
    bool completes;
    size_t sources, destinations, end; ///< where they begin in operands_
  };
  llvm::ArrayRef<int> sourcesOf(const Fold &fold) const {
    return llvm::ArrayRef(operands_).slice(fold.sources,
                                           fold.destinations - fold.sources);
  }
  llvm::ArrayRef<int> destinationsOf(const Fold &fold) const {
    return llvm::ArrayRef(operands_).slice(fold.destinations,
                                           fold.end - fold.destinations);
  }

  sched::Collective collective_;
  std::vector<Fold> folds_;
  std::vector<int> operands_;
  std::vector<bool> isPeer_; ///< of each channel
};

} // namespace blink

#endif // BLINK_COMPILER_PLAN_FOLDMOVES_H
