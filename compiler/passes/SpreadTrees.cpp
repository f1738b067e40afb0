//===- SpreadTrees.cpp - collective-spread-trees --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Divides a tree that is too fast for one lane into several equal trees, and
// gives a tree over two ranks a root at each. SpreadTrees.h and HalfTrees.h in
// compiler/plan choose the trees and their number.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/SpreadTrees.h"
#include "compiler/passes/OptionRanges.h"
#include "compiler/passes/Passes.h"
#include "compiler/plan/DefaultLanes.h"
#include "compiler/plan/HalfTrees.h"
#include "compiler/target/ForestIR.h"
#include "dialect/KnownAttrs.h"

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_SPREADTREESPASS
#include "compiler/passes/Passes.h.inc"

namespace {

struct SpreadTrees : impl::SpreadTreesPassBase<SpreadTrees> {
  using Base::Base;

  LogicalResult spread(collective::ForestOp forest) {
    if (forest.getProtocol() || forest.getMinBytes() || forest.getMaxBytes() ||
        forest->hasAttr(collective::kMediumAttr))
      return success(); // made for some sizes, not for the rate alone
    auto from = problemFromIR(forest, getAnalysis<PeerLimits>());
    if (failed(from))
      return failure();
    if ((*from)->rankTopology.numRanks() == 1)
      return success(); // there is nothing to send
    PackedTrees trees = readForest(forest, **from);
    const ScheduleLimits byDefault = defaultLimits((*from)->rankTopology);
    const ScheduleLimits limits{maxLanes > 0 ? maxLanes : byDefault.maxLanes,
                                chunkBytes};
    llvm::Expected<Packing> halves =
        chooseHalves((*from)->problem, trees.packing, limits, maxTrees);
    if (!halves)
      return forest.emitError(toString(halves.takeError()));
    if (!halves->trees.empty()) {
      trees.packing = std::move(*halves);
      OpBuilder builder(forest);
      auto rooted =
          buildForest(builder, forest.getLoc(), forest.getTopologyAttr(),
                      **from, trees.packing, trees.certificate, {});
      if (failed(rooted))
        return failure();
      forest.erase();
      forest = *rooted;
    }
    std::vector<unsigned> parts = knownParts(forest);
    if (parts.size() != trees.packing.trees.size()) {
      llvm::Expected<std::vector<unsigned>> chosen =
          chooseParts((*from)->problem, trees.packing, limits, maxTrees);
      if (!chosen)
        return forest.emitError(toString(chosen.takeError()));
      parts = std::move(*chosen);
    }
    if (llvm::any_of(parts, [](unsigned part) { return part != 1; }))
      splitTrees(forest, parts);
    return success();
  }

  /// Removes collective::kPartsAttr from the forest. Returns the parts that
  /// were chosen when the forest was selected within the same limits, or none
  /// if there are none, or they may be too many.
  std::vector<unsigned> knownParts(collective::ForestOp forest) const {
    auto known = llvm::dyn_cast_or_null<DenseI32ArrayAttr>(
        forest->removeAttr(collective::kPartsAttr));
    if (!known || maxTrees > 0)
      return {};
    return {known.asArrayRef().begin(), known.asArrayRef().end()};
  }

  void runOnOperation() override {
    Operation *module = getOperation();
    if (failed(checkOption(module, "max-lanes", maxLanes, 0, kLanesLimit)) ||
        failed(checkOption(module, "chunk-bytes", chunkBytes, 0,
                           kChunkBytesLimit)) ||
        failed(checkOption(module, "max-trees", maxTrees, 0, kTreesLimit)))
      return signalPassFailure();
    markAnalysesPreserved<PeerLimits>();
    SmallVector<collective::ForestOp> forests(
        getOperation().getOps<collective::ForestOp>());
    for (collective::ForestOp forest : forests)
      if (failed(spread(forest)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace blink
