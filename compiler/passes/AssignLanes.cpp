//===- AssignLanes.cpp - collective-assign-lanes --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Loose folds become lanes. Which folds share one says compiler/packing's
// LaneChoice.h. In a lane they stand in the order of the hops that data makes
// before them: up folds (towards a root) before roots before the others, leaves
// before what waits for them. In tree order rank 1 could start its own tree
// only after rank 0's has arrived, rank 2 only after rank 1's, and so on.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/Passes.h"
#include "compiler/passes/ScheduleMoves.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_ASSIGNLANESPASS
#include "compiler/passes/Passes.h.inc"

namespace {

/// Per fold: the channels on the longest way of data to it. Folds that wait in
/// a circle, which the verifier will name, count as if they did not.
llvm::DenseMap<Operation *, size_t> hopsBefore(collective::ScheduleOp op) {
  llvm::DenseMap<Attribute, collective::FoldOp> writers;
  SmallVector<collective::FoldOp> stack;
  op.walk([&](collective::FoldOp fold) {
    stack.push_back(fold);
    for (Attribute operand : fold.getDestinations())
      if (auto channel = dyn_cast<FlatSymbolRefAttr>(operand))
        writers[channel.getAttr()] = fold;
  });
  llvm::DenseMap<Operation *, size_t> hops;
  llvm::DenseSet<Operation *> entered;
  while (!stack.empty()) {
    collective::FoldOp fold = stack.back();
    bool first = entered.insert(fold).second;
    size_t most = 0;
    for (Attribute operand : fold.getSources()) {
      auto channel = dyn_cast<FlatSymbolRefAttr>(operand);
      if (!channel)
        continue;
      collective::FoldOp writer = writers.lookup(channel.getAttr());
      if (first && !entered.contains(writer))
        stack.push_back(writer);
      most = std::max(most, hops.lookup(writer) + 1);
    }
    if (first && stack.back() != fold)
      continue; // again, after what it waits for
    stack.pop_back();
    hops.try_emplace(fold, most);
  }
  return hops;
}

struct AssignLanes : impl::AssignLanesPassBase<AssignLanes> {
  using Base::Base;

  void assign(collective::RankOp rank, const ScheduleMoves &moves,
              const llvm::DenseMap<Operation *, size_t> &hops) {
    SmallVector<collective::FoldOp> folds(
        rank.getBody().getOps<collective::FoldOp>());
    std::vector<FoldLoad> loads;
    for (collective::FoldOp fold : folds)
      loads.push_back(moves.loadOf(fold));
    OpBuilder builder(rank.getContext());
    for (std::vector<size_t> &members : chooseLanes(loads, maxLanes)) {
      builder.setInsertionPointToEnd(&rank.getBody().front());
      auto lane = builder.create<collective::LaneOp>(rank.getLoc());
      llvm::stable_sort(members, [&](size_t a, size_t b) {
        return hops.lookup(folds[a]) < hops.lookup(folds[b]);
      });
      for (size_t fold : members)
        folds[fold]->moveBefore(&lane.getBody().front(),
                                lane.getBody().front().end());
    }
  }

  void runOnOperation() override {
    if (maxLanes == 0) {
      getOperation().emitError("max-lanes must be at least 1");
      return signalPassFailure();
    }
    for (auto schedule : getOperation().getOps<collective::ScheduleOp>()) {
      ScheduleMoves moves(schedule);
      llvm::DenseMap<Operation *, size_t> hops = hopsBefore(schedule);
      for (auto rank : schedule.getBody().getOps<collective::RankOp>())
        assign(rank, moves, hops);
    }
  }
};

} // namespace
} // namespace blink
