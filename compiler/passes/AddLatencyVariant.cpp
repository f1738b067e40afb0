//===- AddLatencyVariant.cpp - collective-add-latency-variant -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Puts a second forest for small messages before each forest and, where
// possible, an allreduce of one hop for tiny messages before that. Over a
// network the forest itself occurs twice as well, first for messages that want
// smaller chunks. SmallVariants.h in compiler/plan chooses the variants and
// their ranges.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/OptionRanges.h"
#include "compiler/passes/Passes.h"
#include "compiler/plan/DefaultLanes.h"
#include "compiler/plan/SmallVariants.h"
#include "compiler/target/EnumConversion.h"
#include "compiler/target/FoldProgramIR.h"
#include "compiler/target/ForestIR.h"
#include "dialect/KnownAttrs.h"

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_ADDLATENCYVARIANTPASS
#include "compiler/passes/Passes.h.inc"

namespace {

/// Returns true if a forest should get variants for small messages and has none
/// yet.
bool isWanted(collective::ForestOp forest, const PackingProblem &problem,
              unsigned maxRanks) {
  int n = problem.rankTopology->numRanks();
  // If sums are in halves, a root cannot add everything by itself
  // (OrderedTrees.h).
  return forest.getSums() != collective::Sums::Halves && n > 1 &&
         n <= int(maxRanks) && !forest.getProtocol() && !forest.getMinBytes() &&
         !forest.getMaxBytes() && !forest->hasAttr(collective::kMediumAttr);
}

/// Makes `op` the variant for sizes from `begin` to below `end`.
template <typename Op>
void setVariant(Op op, Protocol protocol, uint64_t begin, uint64_t end) {
  op.setProtocol(toIR(protocol));
  if (begin > 0)
    op.setMinBytes(static_cast<int64_t>(begin));
  op.setMaxBytes(static_cast<int64_t>(end));
}

struct AddLatencyVariant : impl::AddLatencyVariantPassBase<AddLatencyVariant> {
  using Base::Base;

  VariantLimits variantLimits(const ProblemFromIR &from) {
    // The sums of some boxes are kept in outputs, which have no room for wider
    // elements.
    const bool wide = from.accumulate != sched::Accumulation::none;
    return {maxOneHopRanks, wide ? 0u : maxExchangeRanks};
  }

  LogicalResult addVariants(collective::ForestOp forest) {
    auto from = problemFromIR(forest, getAnalysis<PeerLimits>());
    if (failed(from))
      return failure();
    if (!isWanted(forest, (*from)->problem, maxRanks))
      return success();
    PackedTrees large = readForest(forest, **from);
    ScheduleLimits limits = defaultLimits((*from)->rankTopology);
    if (maxLanes > 0)
      limits.maxLanes = maxLanes;
    limits.chunkBytes = chunkBytes;
    llvm::Expected<SmallVariants> small = chooseSmallVariants(
        (*from)->problem, large.packing, limits, variantLimits(**from));
    if (!small)
      return forest.emitError(toString(small.takeError()));
    SmallRanges ranges = small->ranges;
    auto addTrees = [&](const Packing &packing, uint64_t begin,
                        uint64_t end) -> LogicalResult {
      if (end <= begin)
        return success();
      OpBuilder builder(forest);
      auto trees =
          buildForest(builder, forest.getLoc(), forest.getTopologyAttr(),
                      **from, packing, large.certificate, {});
      if (failed(trees))
        return failure();
      // A program states the rate of its last variant.
      trees->setAlgbwAttr(forest.getAlgbwAttr());
      setVariant(*trees, small->protocol, begin, end);
      return success();
    };
    if (ranges.oneHop > 0)
      setVariant(
          buildSchedule(forest, (*from)->machine, small->oneHop->program),
          small->protocol, 0, ranges.oneHop);
    if (ranges.tree > ranges.oneHop && small->boxes) {
      setVariant(buildSchedule(forest, (*from)->machine, small->boxes->program),
                 small->protocol, ranges.oneHop, ranges.tree);
    } else if (failed(addTrees(small->trees, ranges.oneHop, ranges.tree))) {
      return failure();
    }
    if (failed(addTrees(small->later, ranges.tree, ranges.later)))
      return failure();
    uint64_t begin = ranges.later;
    if (small->mediumEnd > begin) {
      auto medium =
          cast<collective::ForestOp>(OpBuilder(forest).clone(*forest));
      setVariant(medium, Protocol::simple, begin, small->mediumEnd);
      begin = small->mediumEnd;
    }
    if (begin > 0)
      forest.setMinBytes(static_cast<int64_t>(begin));
    return success();
  }

  void runOnOperation() override {
    Operation *module = getOperation();
    if (failed(checkOption(module, "max-lanes", maxLanes, 0, kLanesLimit)) ||
        failed(checkOption(module, "chunk-bytes", chunkBytes, 0,
                           kChunkBytesLimit)) ||
        failed(checkOption(module, "max-ranks", maxRanks, 0, kRanksLimit)) ||
        failed(checkOption(module, "max-one-hop-ranks", maxOneHopRanks, 0,
                           kRanksLimit)) ||
        failed(checkOption(module, "max-exchange-ranks", maxExchangeRanks, 0,
                           kRanksLimit)))
      return signalPassFailure();
    markAnalysesPreserved<PeerLimits>();
    for (auto forest : llvm::make_early_inc_range(
             getOperation().getOps<collective::ForestOp>()))
      if (failed(addVariants(forest)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace blink
