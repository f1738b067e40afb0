//===- SpreadTrees.cpp - collective-spread-trees --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A tree that is too fast for one lane becomes several that are equal. Which,
// and how many, says compiler/packing's SpreadTrees.h.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/SpreadTrees.h"
#include "compiler/passes/Passes.h"
#include "compiler/target/ForestIR.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_SPREADTREESPASS
#include "compiler/passes/Passes.h.inc"

namespace {

struct Block {
  std::vector<collective::TreeOp> trees;
  std::vector<uint32_t> numerators;
  std::vector<unsigned> parts;
};

void spreadBlock(Block &block) {
  SpreadShares shares =
      spreadShares(block.numerators,
                   uint32_t(block.trees.front().getDenominator()), block.parts);
  for (auto [tree, numerators] :
       llvm::zip_equal(block.trees, shares.numerators)) {
    OpBuilder builder(tree);
    for (uint32_t numerator : numerators) {
      auto part = cast<collective::TreeOp>(builder.clone(*tree));
      part.setNumerator(numerator);
      part.setDenominator(shares.denominator);
    }
    tree.erase();
  }
}

LogicalResult spread(collective::ForestOp forest,
                     const SpreadTreesPassOptions &options) {
  if (forest.getProtocol() || forest.getMinBytes() || forest.getMaxBytes())
    return success(); // made for some sizes, not for the rate alone
  auto from = problemFromIR(forest);
  if (failed(from))
    return failure();
  if ((*from)->fabric.numRanks() == 1)
    return success(); // there is nothing to send
  Packing packing = readForest(forest, **from).packing;
  std::vector<unsigned> parts =
      spreadTrees((*from)->problem, packing,
                  {Protocol::simple, options.maxLanes, options.chunkBytes},
                  options.maxTrees);
  if (parts.empty())
    return success();
  llvm::MapVector<int64_t, Block> blocks;
  size_t used = 0;
  for (auto tree : forest.getBody().getOps<collective::TreeOp>())
    if (tree.getNumerator() != 0) {
      Block &block = blocks[tree.getBlock()];
      block.trees.push_back(tree);
      block.numerators.push_back(uint32_t(tree.getNumerator()));
      block.parts.push_back(parts[used++]);
    }
  for (auto &[number, block] : blocks)
    spreadBlock(block);
  for (auto [i, tree] :
       llvm::enumerate(forest.getBody().getOps<collective::TreeOp>()))
    tree.setSymName("t" + std::to_string(i));
  return success();
}

struct SpreadTrees : impl::SpreadTreesPassBase<SpreadTrees> {
  using Base::Base;

  void runOnOperation() override {
    if (maxLanes == 0) {
      getOperation().emitError("max-lanes must be at least 1");
      return signalPassFailure();
    }
    for (auto forest : getOperation().getOps<collective::ForestOp>())
      if (failed(spread(forest, {maxLanes, maxTrees, chunkBytes})))
        return signalPassFailure();
  }
};

} // namespace
} // namespace blink
