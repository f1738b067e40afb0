//===- ExpandFolds.cpp - collective-expand-folds --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Trees become channels and folds:
//
//     root        (input, up from children) -> (output, down to children)
//     other rank  (input, up from children) -> (up to parent)
//                 (down from parent) -> (output, down to children)
//
// Folds of a rank stand in tree order, up before down. The trees of routed
// collectives become chains instead, see ExpandChains.cpp.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/FoldBuilder.h"
#include "compiler/passes/Passes.h"

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_EXPANDFOLDSPASS
#include "compiler/passes/Passes.h.inc"

namespace {

/// The channels of one tree at one rank.
struct TreeNode {
  SmallVector<Attribute> fromChildren; ///< up channels that end here
  Attribute toParent;                  ///< the up channel that begins here
  Attribute fromParent;                ///< the down channel that ends here
  SmallVector<Attribute> toChildren;   ///< down channels that begin here
};

LogicalResult expandTree(FoldBuilder &builder, collective::TreeOp op,
                         FlatSymbolRefAttr share) {
  SmallVector<TreeNode> nodes(builder.numRanks());
  for (auto edge : op.getUp().getAsRange<collective::EdgeAttr>()) {
    auto connection = builder.connect(edge, share);
    if (failed(connection))
      return failure();
    nodes[edge.getFrom()].toParent = connection->entry;
    nodes[edge.getTo()].fromChildren.push_back(connection->exit);
  }
  for (auto edge : op.getDown().getAsRange<collective::EdgeAttr>()) {
    auto connection = builder.connect(edge, share);
    if (failed(connection))
      return failure();
    nodes[edge.getTo()].fromParent = connection->exit;
    nodes[edge.getFrom()].toChildren.push_back(connection->entry);
  }

  collective::CollectiveKind kind = builder.forest().getCollective();
  bool reduces = collective::hasUpTrees(kind);
  bool shares = collective::hasDownTrees(kind);
  // The block number where a buffer has one block a rank.
  int block = op.getBlock();
  bool gathers = kind == collective::CollectiveKind::AllGather;
  bool scatters = kind == collective::CollectiveKind::ReduceScatter;
  Attribute input = builder.input(scatters ? block : 0);
  Attribute output = builder.output(gathers ? block : 0);

  for (int rank = 0; rank < builder.numRanks(); ++rank) {
    TreeNode &node = nodes[rank];
    bool isRoot = rank == static_cast<int>(op.getRoot());
    if (isRoot || reduces) {
      SmallVector<Attribute> sources{input}, destinations;
      llvm::append_range(sources, node.fromChildren);
      if (isRoot) {
        destinations.push_back(output);
        llvm::append_range(destinations, node.toChildren);
      } else {
        destinations.push_back(node.toParent);
      }
      builder.addFold(rank, share, sources, destinations, isRoot && reduces);
    }
    if (!isRoot && shares) {
      SmallVector<Attribute> destinations{output};
      llvm::append_range(destinations, node.toChildren);
      builder.addFold(rank, share, {node.fromParent}, destinations, false);
    }
  }
  return success();
}

LogicalResult expandForest(collective::ForestOp forest,
                           const ProblemFromIR &from) {
  FoldBuilder builder(forest, from);
  SmallVector<collective::TreeOp> trees;
  for (auto tree : forest.getBody().getOps<collective::TreeOp>())
    if (tree.getNumerator() != 0)
      trees.push_back(tree);
  if (isRouted(from.problem.collective)) {
    if (failed(expandChains(builder, trees)))
      return failure();
  } else {
    SmallVector<FlatSymbolRefAttr> shares;
    for (collective::TreeOp tree : trees) {
      int depth = readTree(tree, from.machine).depth(builder.numRanks());
      shares.push_back(
          builder.addShare(tree, tree.getSymName(), tree.getBlock(), depth));
    }
    for (auto [tree, share] : llvm::zip_equal(trees, shares))
      if (failed(expandTree(builder, tree, share)))
        return failure();
  }
  forest.erase();
  return success();
}

struct ExpandFolds : impl::ExpandFoldsPassBase<ExpandFolds> {
  void runOnOperation() override {
    SmallVector<collective::ForestOp> forests(
        getOperation().getOps<collective::ForestOp>());
    for (collective::ForestOp forest : forests) {
      auto from = problemFromIR(forest);
      if (failed(from) || failed(expandForest(forest, **from)))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace blink
