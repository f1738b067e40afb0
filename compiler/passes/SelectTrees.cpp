//===- SelectTrees.cpp - collective-select-trees --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Forests become smaller forests. The solver is compiler/packing's.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/SelectTrees.h"
#include "compiler/passes/Passes.h"
#include "compiler/target/ForestIR.h"

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_SELECTTREESPASS
#include "compiler/passes/Passes.h.inc"

namespace {

LogicalResult selectFrom(collective::ForestOp forest,
                         const SelectOptions &options) {
  if (forest.getProtocol() || forest.getMinBytes() || forest.getMaxBytes())
    return success(); // made for some sizes, not for the rate alone
  auto from = problemFromIR(forest);
  if (failed(from))
    return failure();
  PackedTrees packed = readForest(forest, **from);
  llvm::Expected<Packing> selected =
      selectTrees((*from)->problem, packed, options);
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
    for (collective::ForestOp forest : forests)
      if (failed(selectFrom(forest, options)))
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
