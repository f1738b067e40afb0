//===- SelectTrees.cpp - collective-select-trees --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Forests become smaller forests. The solver is compiler/packing's.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/SelectTrees.h"
#include "compiler/packing/FairRate.h"
#include "compiler/packing/grow/PackGrown.h"
#include "compiler/passes/GrowFaster.h"
#include "compiler/passes/Passes.h"
#include "compiler/plan/SpreadTrees.h"
#include "compiler/simulate/SteadyPart.h"
#include "compiler/target/ForestIR.h"

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_SELECTTREESPASS
#include "compiler/passes/Passes.h.inc"

namespace {

/// What a forest keeps of its rate on links that share themselves fairly, and
/// how long it takes then. A fluid is trusted where it keeps the rate; else
/// lanes may, which takes a simulation.
struct FairTime {
  double part;
  MessageTime time;
};

llvm::Expected<FairTime> fairTimeOf(const PackingProblem &problem,
                                    const Packing &packing) {
  const ScheduleLimits limits;
  llvm::Expected<std::vector<unsigned>> parts =
      chooseParts(problem, packing, limits, /*maxTrees=*/0);
  if (!parts)
    return parts.takeError();
  llvm::Expected<FoldProgram> program =
      planParts(problem, packing, *parts, limits);
  if (!program)
    return program.takeError();
  if (parts->empty())
    parts->assign(packing.trees.size(), 1);
  if (isFair(problem, packing, *parts))
    return FairTime{1, timeOf(*program, Protocol::simple)};
  for (FoldProgram::Channel &channel : program->channels)
    channel.slots = kSlots;
  llvm::Expected<double> part = steadyPart(*program);
  if (!part)
    return part.takeError();
  return FairTime{*part, timeOf(*program, Protocol::simple, /*chunkBytes=*/0,
                                std::min(1.0, *part))};
}

/// What selectTrees or growFaster finds; or, where links that share themselves
/// fairly would keep less than kKept of its rate, trees of which they keep all,
/// for up to kFairSlack of the optimum, if these are faster.
llvm::Expected<Packing> select(const PackingProblem &problem,
                               const PackedTrees &packed,
                               const SelectOptions &options) {
  constexpr double kKept = 0.97;
  constexpr double kFairSlack = 0.05;
  if (isGrown(problem, packed.packing, options.maxTrees)) {
    llvm::Expected<Packing> grown =
        growFaster(problem, nullptr, packed.packing.algbw, options);
    if (!grown || !grown->trees.empty())
      return grown;
    return packed.packing;
  }
  llvm::Expected<Packing> selected = selectTrees(problem, packed, options);
  if (!selected)
    return selected;
  llvm::Expected<Packing> grown =
      growFaster(problem, &*selected, packed.packing.algbw, options);
  if (!grown || !grown->trees.empty())
    return grown;
  // A simulation of hundreds of ranks takes minutes: none where its result
  // could change nothing.
  if (options.slack == 0 || isFair(problem, *selected) ||
      !hasFairTrees(problem))
    return selected;
  llvm::Expected<FairTime> time = fairTimeOf(problem, *selected);
  if (!time)
    return time.takeError();
  if (time->part >= kKept)
    return selected;
  SelectOptions fairly = options;
  fairly.slack = std::max(options.slack, kFairSlack);
  llvm::Expected<Packing> fair = selectFairTrees(problem, packed, fairly);
  if (!fair || fair->trees.empty())
    return fair ? std::move(selected) : std::move(fair);
  llvm::Expected<FairTime> fairTime = fairTimeOf(problem, *fair);
  if (!fairTime)
    return fairTime.takeError();
  return isWorthwhile(fairTime->time, time->time) ? std::move(fair)
                                                  : std::move(selected);
}

LogicalResult selectFrom(collective::ForestOp forest,
                         const SelectOptions &options, PeerLimits &limits) {
  if (forest.getProtocol() || forest.getMinBytes() || forest.getMaxBytes())
    return success(); // made for some sizes, not for the rate alone
  auto from = problemFromIR(forest, limits);
  if (failed(from))
    return failure();
  PackedTrees packed = readForest(forest, **from);
  llvm::Expected<Packing> selected = select((*from)->problem, packed, options);
  if (!selected)
    return forest.emitError(toString(selected.takeError()));
  OpBuilder builder(forest);
  if (failed(buildForest(builder, forest.getLoc(), forest.getTopologyAttr(),
                         **from, *selected, packed.certificate, {})))
    return failure();
  forest.erase();
  return success();
}

struct SelectTrees : impl::SelectTreesPassBase<SelectTrees> {
  using Base::Base;
  SelectTrees(const SelectTreesPassOptions &options,
              const std::function<bool()> &keepGoing)
      : Base(options), keepGoing_(keepGoing) {}

  void runOnOperation() override {
    if (!(slack >= 0 && slack < 1)) {
      getOperation().emitError() << "slack must be at least 0 and below 1";
      return signalPassFailure();
    }
    SelectOptions options;
    options.slack = slack;
    options.maxTrees = static_cast<int>(maxTrees);
    options.keepGoing = keepGoing_;
    SmallVector<collective::ForestOp> forests(
        getOperation().getOps<collective::ForestOp>());
    auto &limits = getAnalysis<PeerLimits>();
    markAnalysesPreserved<PeerLimits>();
    for (collective::ForestOp forest : forests)
      if (failed(selectFrom(forest, options, limits)))
        return signalPassFailure();
  }

  std::function<bool()> keepGoing_;
};

} // namespace

std::unique_ptr<Pass>
createSelectTreesPass(const SelectTreesPassOptions &options,
                      const std::function<bool()> &keepGoing) {
  return std::make_unique<SelectTrees>(options, keepGoing);
}

} // namespace blink
