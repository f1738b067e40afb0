//===- AssignLanes.cpp - collective-assign-lanes --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Loose folds become lanes. Up folds (towards a root) and the others are kept
// apart where lanes allow it: a lane that reduces chunk c and then distributes
// chunk c would wait for a whole round trip before it starts chunk c + 1.
//
// A low_latency schedule has two lanes a rank at most, since it carries little.
// Its folds stand in the order of the hops that data makes before them: in tree
// order rank 1 could start its own tree only after rank 0's has arrived.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/Passes.h"

#include "mlir/IR/Builders.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_ASSIGNLANESPASS
#include "compiler/passes/Passes.h.inc"

namespace {

constexpr size_t kLowLatencyLanes = 2;

/// A fold with the bytes it moves per byte of the buffer.
struct WeighedFold {
  collective::FoldOp op;
  double cost;
  size_t order; ///< in its lane
};

/// Sends a partial result towards a root: no output among its destinations.
bool isUp(collective::FoldOp fold) {
  return llvm::all_of(fold.getDestinations(), [](Attribute destination) {
    return isa<FlatSymbolRefAttr>(destination);
  });
}

/// Longest processing time first: the costliest fold goes to the lane with the
/// least to do. Within a lane folds keep the rank's order.
void balance(std::vector<WeighedFold> folds, size_t numLanes,
             std::vector<std::vector<WeighedFold>> &lanes) {
  if (folds.empty())
    return;
  numLanes = std::min(numLanes, folds.size());
  std::vector<std::vector<WeighedFold>> bins(numLanes);
  std::vector<double> load(numLanes, 0);
  llvm::stable_sort(folds, [](const WeighedFold &a, const WeighedFold &b) {
    return a.cost > b.cost;
  });
  for (const WeighedFold &fold : folds) {
    size_t least = std::min_element(load.begin(), load.end()) - load.begin();
    load[least] += fold.cost;
    bins[least].push_back(fold);
  }
  for (std::vector<WeighedFold> &bin : bins) {
    llvm::sort(bin, [](const WeighedFold &a, const WeighedFold &b) {
      return a.order < b.order;
    });
    lanes.push_back(std::move(bin));
  }
}

double totalCost(const std::vector<WeighedFold> &folds) {
  return std::accumulate(
      folds.begin(), folds.end(), 0.0,
      [](double sum, const WeighedFold &fold) { return sum + fold.cost; });
}

/// Splits `maxLanes` between the two directions in proportion to their cost.
std::vector<std::vector<WeighedFold>>
chooseLanes(const std::vector<WeighedFold> &up,
            const std::vector<WeighedFold> &down, size_t maxLanes) {
  std::vector<std::vector<WeighedFold>> lanes;
  size_t total = up.size() + down.size();
  if (maxLanes == 1 && total > 0) {
    std::vector<WeighedFold> all = up;
    all.insert(all.end(), down.begin(), down.end());
    balance(std::move(all), 1, lanes);
    return lanes;
  }
  size_t upLanes = up.size();
  if (total > maxLanes && !up.empty() && !down.empty()) {
    double fraction = totalCost(up) / (totalCost(up) + totalCost(down));
    upLanes = std::clamp<size_t>(std::lround(fraction * double(maxLanes)), 1,
                                 maxLanes - 1);
    // Lanes that one direction cannot fill serve the other.
    upLanes = std::min(upLanes, up.size());
    if (maxLanes - upLanes > down.size())
      upLanes = maxLanes - down.size();
  } else if (total > maxLanes) {
    upLanes = maxLanes;
  }
  balance(up, upLanes, lanes);
  balance(down, up.empty() ? maxLanes : std::max<size_t>(1, maxLanes - upLanes),
          lanes);
  return lanes;
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
              const llvm::DenseMap<Operation *, size_t> &hops,
              size_t mostLanes) {
    std::vector<WeighedFold> up, down;
    SmallVector<collective::FoldOp> folds(
        rank.getBody().getOps<collective::FoldOp>());
    llvm::stable_sort(folds, [&](collective::FoldOp a, collective::FoldOp b) {
      return hops.lookup(a) < hops.lookup(b);
    });
    size_t order = 0;
    for (collective::FoldOp fold : folds) {
      double operands =
          double(fold.getSources().size() + fold.getDestinations().size());
      double cost = shares.lookup(fold.getShareAttr().getAttr()) * operands;
      (isUp(fold) ? up : down).push_back({fold, cost, order++});
    }
    OpBuilder builder(rank.getContext());
    for (const auto &folds : chooseLanes(up, down, mostLanes)) {
      builder.setInsertionPointToEnd(&rank.getBody().front());
      auto lane = builder.create<collective::LaneOp>(rank.getLoc());
      for (const WeighedFold &fold : folds)
        fold.op->moveBefore(&lane.getBody().front(),
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
      size_t mostLanes = maxLanes;
      llvm::DenseMap<Operation *, size_t> hops; // all 0: the order they have
      if (schedule.getProtocol() == collective::Protocol::LowLatency) {
        mostLanes = std::min<size_t>(mostLanes, kLowLatencyLanes);
        hops = hopsBefore(schedule);
      }
      for (auto rank : schedule.getBody().getOps<collective::RankOp>())
        assign(rank, shares, hops, mostLanes);
    }
  }
};

} // namespace
} // namespace blink
