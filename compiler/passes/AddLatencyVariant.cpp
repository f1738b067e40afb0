//===- AddLatencyVariant.cpp - collective-add-latency-variant -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Before each forest a second one for small messages, and before that, where
// there is one, an allreduce of one hop for tiny ones. The trees and the hop
// are compiler/packing's (LatencyTree.h, OneHop.h), the sizes where one ends
// and the next begins those of its model of time (TimeModel.h).
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/FoldBuilder.h"
#include "compiler/passes/Passes.h"
#include "compiler/plan/LatencyTree.h"
#include "compiler/plan/SizeRanges.h"
#include "compiler/plan/SpreadTrees.h"
#include "compiler/target/ForestIR.h"

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_ADDLATENCYVARIANTPASS
#include "compiler/passes/Passes.h.inc"

namespace {

constexpr Protocol kProtocol = Protocol::low_latency;

/// Whether a forest is to have variants for small messages, and has none.
bool isWanted(collective::ForestOp forest, const PackingProblem &problem,
              unsigned maxRanks) {
  int n = problem.fabric->numRanks();
  return !isRouted(problem.collective) && n > 1 && n <= int(maxRanks) &&
         !forest.getProtocol() && !forest.getMinBytes() &&
         !forest.getMaxBytes();
}

llvm::Expected<std::optional<OneHop>>
oneHopFor(const PackingProblem &problem,
          const AddLatencyVariantPassOptions &options) {
  if (problem.collective != Collective::allreduce ||
      problem.fabric->numRanks() > int(options.maxOneHopRanks))
    return std::nullopt;
  return packOneHop(*problem.fabric, kProtocol, options.maxLanes);
}

LogicalResult addOneHop(collective::ForestOp forest, const ProblemFromIR &from,
                        const OneHop &oneHop, uint64_t ends) {
  auto variant = expandOneHop(forest, from, oneHop);
  if (failed(variant))
    return failure();
  variant->setProtocol(collective::Protocol::LowLatency);
  variant->setMaxBytes(static_cast<int64_t>(ends));
  return success();
}

void setMinBytes(collective::ForestOp forest, uint64_t bytes) {
  if (bytes > 0)
    forest.setMinBytes(static_cast<int64_t>(bytes));
}

LogicalResult addTrees(collective::ForestOp forest, const ProblemFromIR &from,
                       const Packing &trees,
                       const PackingCertificate &certificate,
                       SmallRanges ranges) {
  OpBuilder builder(forest);
  auto variant = buildForest(builder, forest.getLoc(), forest.getTopologyAttr(),
                             from, trees, certificate, {});
  if (failed(variant))
    return failure();
  // A program states the rate of its last variant.
  variant->setAlgbwAttr(forest.getAlgbwAttr());
  variant->setProtocol(collective::Protocol::LowLatency);
  setMinBytes(*variant, ranges.oneHop);
  variant->setMaxBytes(static_cast<int64_t>(ranges.tree));
  return success();
}

LogicalResult addVariants(collective::ForestOp forest,
                          const AddLatencyVariantPassOptions &options) {
  auto from = problemFromIR(forest);
  if (failed(from))
    return failure();
  const PackingProblem &problem = (*from)->problem;
  if (!isWanted(forest, problem, options.maxRanks))
    return success();
  llvm::Expected<Packing> whole = packLatencyTrees(problem, kProtocol);
  if (!whole)
    return forest.emitError(toString(whole.takeError()));
  Packing trees =
      spreadSmallTrees(problem, *whole, {kProtocol, options.maxLanes});
  llvm::Expected<std::optional<OneHop>> oneHop = oneHopFor(problem, options);
  if (!oneHop)
    return forest.emitError(toString(oneHop.takeError()));

  PackedTrees large = readForest(forest, **from);
  std::optional<MessageTime> oneHopTime;
  if (*oneHop)
    oneHopTime = (*oneHop)->time;
  SmallRanges ranges = chooseRanges(
      oneHopTime, timeOf(problem, trees, {kProtocol, options.maxLanes}),
      timeOf(problem, large.packing,
             {Protocol::simple, options.maxLanes,
              static_cast<uint32_t>(options.chunkBytes)}));
  if (ranges.oneHop > 0 &&
      failed(addOneHop(forest, **from, **oneHop, ranges.oneHop)))
    return failure();
  if (ranges.tree > ranges.oneHop &&
      failed(addTrees(forest, **from, trees, large.certificate, ranges)))
    return failure();
  setMinBytes(forest, ranges.tree);
  return success();
}

struct AddLatencyVariant : impl::AddLatencyVariantPassBase<AddLatencyVariant> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<collective::ForestOp> forests(
        getOperation().getOps<collective::ForestOp>());
    for (collective::ForestOp forest : forests)
      if (failed(addVariants(forest,
                             {maxRanks, maxOneHopRanks, maxLanes, chunkBytes})))
        return signalPassFailure();
  }
};

} // namespace
} // namespace blink
