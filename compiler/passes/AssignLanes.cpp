//===- AssignLanes.cpp - collective-assign-lanes --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Loose folds become lanes. Up folds (towards a root) and the others are kept
// apart where lanes allow it: a lane that reduces chunk c and then distributes
// chunk c would wait for a whole round trip before it starts chunk c + 1.
//
// In a lane of a low_latency schedule folds stand in the order of the hops that
// data makes before them: in tree order rank 1 could start its own tree only
// after rank 0's has arrived.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/LaneChoice.h"
#include "compiler/passes/Passes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_ASSIGNLANESPASS
#include "compiler/passes/Passes.h.inc"

namespace {

/// Sends a partial result towards a root: no output among its destinations.
bool isUp(collective::FoldOp fold) {
  return llvm::all_of(fold.getDestinations(), [](Attribute destination) {
    return isa<FlatSymbolRefAttr>(destination);
  });
}

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

  void assign(collective::RankOp rank,
              const llvm::DenseMap<Attribute, double> &shares,
              const llvm::DenseMap<Operation *, size_t> &hops) {
    SmallVector<collective::FoldOp> folds(
        rank.getBody().getOps<collective::FoldOp>());
    llvm::stable_sort(folds, [&](collective::FoldOp a, collective::FoldOp b) {
      return hops.lookup(a) < hops.lookup(b);
    });
    std::vector<FoldLoad> loads;
    for (collective::FoldOp fold : folds) {
      double operands =
          double(fold.getSources().size() + fold.getDestinations().size());
      loads.push_back({shares.lookup(fold.getShareAttr().getAttr()) * operands,
                       isUp(fold)});
    }
    OpBuilder builder(rank.getContext());
    for (const std::vector<size_t> &members : chooseLanes(loads, maxLanes)) {
      builder.setInsertionPointToEnd(&rank.getBody().front());
      auto lane = builder.create<collective::LaneOp>(rank.getLoc());
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
      llvm::DenseMap<Attribute, double> shares;
      for (auto share : schedule.getBody().getOps<collective::ShareOp>())
        shares[share.getSymNameAttr()] =
            double(share.getNumerator()) / double(share.getDenominator());
      llvm::DenseMap<Operation *, size_t> hops; // all 0: the order they have
      if (schedule.getProtocol() == collective::Protocol::LowLatency)
        hops = hopsBefore(schedule);
      for (auto rank : schedule.getBody().getOps<collective::RankOp>())
        assign(rank, shares, hops);
    }
  }
};

} // namespace
} // namespace blink
