//===- AddLatencyVariant.cpp - collective-add-latency-variant -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Beside each forest a second one for small messages. The trees are
// compiler/packing's (LatencyTree.h), the size where one ends and the other
// begins that of its model of time (TimeModel.h).
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/LatencyTree.h"
#include "compiler/passes/Passes.h"
#include "compiler/target/ForestIR.h"

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_ADDLATENCYVARIANTPASS
#include "compiler/passes/Passes.h.inc"

namespace {

constexpr Protocol kProtocol = Protocol::low_latency;

/// Whether a forest is to have a variant for small messages, and has none.
bool isWanted(collective::ForestOp forest, const PackingProblem &problem,
              unsigned maxRanks) {
  int n = problem.fabric->numRanks();
  return !isRouted(problem.collective) && n > 1 && n <= int(maxRanks) &&
         !forest.getProtocol() && !forest.getMinBytes() &&
         !forest.getMaxBytes();
}

LogicalResult addVariant(collective::ForestOp forest, unsigned maxRanks) {
  auto from = problemFromIR(forest);
  if (failed(from))
    return failure();
  const PackingProblem &problem = (*from)->problem;
  if (!isWanted(forest, problem, maxRanks))
    return success();
  llvm::Expected<Packing> small = packLatencyTrees(problem, kProtocol);
  if (!small)
    return forest.emitError(toString(small.takeError()));

  PackedTrees large = readForest(forest, **from);
  auto size = static_cast<int64_t>(
      crossingSize(timeOf(problem, *small, kProtocol),
                   timeOf(problem, large.packing, Protocol::simple)));

  OpBuilder builder(forest);
  auto variant = buildForest(builder, forest.getLoc(), forest.getTopologyAttr(),
                             **from, *small, large.certificate, {});
  if (failed(variant))
    return failure();
  // A program states the rate of its last variant.
  variant->setAlgbwAttr(forest.getAlgbwAttr());
  variant->setProtocol(collective::Protocol::LowLatency);
  variant->setMaxBytes(size);
  forest.setMinBytes(size);
  return success();
}

struct AddLatencyVariant : impl::AddLatencyVariantPassBase<AddLatencyVariant> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<collective::ForestOp> forests(
        getOperation().getOps<collective::ForestOp>());
    for (collective::ForestOp forest : forests)
      if (failed(addVariant(forest, maxRanks)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace blink
