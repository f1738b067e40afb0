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
// Folds of a rank stand in tree order, up before down.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/Passes.h"
#include "compiler/target/EnumConversion.h"
#include "compiler/target/ForestIR.h"

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

class ForestExpander {
public:
  ForestExpander(collective::ForestOp forest, const ProblemFromIR &from)
      : forest_(forest), from_(from), builder_(forest),
        numRanks_(static_cast<int>(forest.getGpus().size())) {}

  LogicalResult expand();

private:
  void buildShare(collective::TreeOp tree);
  LogicalResult expandTree(collective::TreeOp tree);
  FailureOr<Attribute> buildChannel(collective::EdgeAttr edge,
                                    FlatSymbolRefAttr share);
  void addFold(int rank, FlatSymbolRefAttr share, ArrayRef<Attribute> sources,
               ArrayRef<Attribute> destinations, bool completes);
  Attribute buffer(collective::BufferKind kind, int block) {
    return collective::BufferAttr::get(builder_.getContext(), kind, block);
  }

  collective::ForestOp forest_;
  const ProblemFromIR &from_;
  OpBuilder builder_;
  int numRanks_;
  int numChannels_ = 0;
  Operation *firstRank_ = nullptr; ///< shares and channels go before it
  SmallVector<Block *> ranks_;
};

FailureOr<Attribute> ForestExpander::buildChannel(collective::EdgeAttr edge,
                                                  FlatSymbolRefAttr share) {
  Path path = from_.machine.path(edge.getPath());
  llvm::Expected<ChannelKind> kind =
      from_.fabric.classify(edge.getFrom(), edge.getTo(), path);
  if (!kind)
    return forest_.emitError(toString(kind.takeError()));
  std::string name = "c" + std::to_string(numChannels_++);
  SmallVector<Attribute> names(edge.getPath().begin(), edge.getPath().end());
  builder_.setInsertionPoint(firstRank_);
  builder_.create<collective::ChannelOp>(
      forest_.getLoc(), name, toIR(*kind), share.getValue(), edge.getFrom(),
      edge.getTo(),
      /*slots=*/1, builder_.getArrayAttr(names));
  return Attribute(FlatSymbolRefAttr::get(builder_.getContext(), name));
}

void ForestExpander::addFold(int rank, FlatSymbolRefAttr share,
                             ArrayRef<Attribute> sources,
                             ArrayRef<Attribute> destinations, bool completes) {
  builder_.setInsertionPointToEnd(ranks_[rank]);
  builder_.create<collective::FoldOp>(
      forest_.getLoc(), share.getValue(), builder_.getArrayAttr(sources),
      builder_.getArrayAttr(destinations), completes);
}

void ForestExpander::buildShare(collective::TreeOp op) {
  Tree tree = readTree(op, from_.machine);
  builder_.setInsertionPoint(firstRank_);
  builder_.create<collective::ShareOp>(
      op.getLoc(), op.getSymName(), op.getRoot(), op.getBlock(),
      op.getNumerator(), op.getDenominator(), tree.depth(numRanks_));
}

LogicalResult ForestExpander::expandTree(collective::TreeOp op) {
  auto share = FlatSymbolRefAttr::get(op.getSymNameAttr());

  SmallVector<TreeNode> nodes(numRanks_);
  for (auto edge : op.getUp().getAsRange<collective::EdgeAttr>()) {
    FailureOr<Attribute> channel = buildChannel(edge, share);
    if (failed(channel))
      return failure();
    nodes[edge.getFrom()].toParent = *channel;
    nodes[edge.getTo()].fromChildren.push_back(*channel);
  }
  for (auto edge : op.getDown().getAsRange<collective::EdgeAttr>()) {
    FailureOr<Attribute> channel = buildChannel(edge, share);
    if (failed(channel))
      return failure();
    nodes[edge.getTo()].fromParent = *channel;
    nodes[edge.getFrom()].toChildren.push_back(*channel);
  }

  collective::CollectiveKind kind = forest_.getCollective();
  bool reduces = collective::hasUpTrees(kind);
  bool shares = collective::hasDownTrees(kind);
  // The block number where a buffer has one block a rank.
  int block = op.getBlock();
  bool gathers = kind == collective::CollectiveKind::AllGather;
  bool scatters = kind == collective::CollectiveKind::ReduceScatter;
  Attribute input = buffer(collective::BufferKind::Input, scatters ? block : 0);
  Attribute output =
      buffer(collective::BufferKind::Output, gathers ? block : 0);

  for (int rank = 0; rank < numRanks_; ++rank) {
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
      addFold(rank, share, sources, destinations, isRoot && reduces);
    }
    if (!isRoot && shares) {
      SmallVector<Attribute> destinations{output};
      llvm::append_range(destinations, node.toChildren);
      addFold(rank, share, {node.fromParent}, destinations, false);
    }
  }
  return success();
}

LogicalResult ForestExpander::expand() {
  std::optional<int32_t> root;
  if (forest_.getRoot())
    root = *forest_.getRoot();
  auto schedule = builder_.create<collective::ScheduleOp>(
      forest_.getLoc(), forest_.getCollective(), forest_.getTopologyAttr(),
      forest_.getGpus(), forest_.getLinks(), root,
      forest_.getAlgbw().convertToDouble(),
      forest_.getBound().convertToDouble(), forest_.getPrices(), std::nullopt);
  builder_.setInsertionPointToEnd(&schedule.getBody().front());
  for (int rank = 0; rank < numRanks_; ++rank) {
    auto op = builder_.create<collective::RankOp>(forest_.getLoc(), rank);
    if (rank == 0)
      firstRank_ = op;
    ranks_.push_back(&op.getBody().front());
  }
  SmallVector<collective::TreeOp> trees;
  for (auto tree : forest_.getBody().getOps<collective::TreeOp>())
    if (tree.getNumerator() != 0)
      trees.push_back(tree);
  for (collective::TreeOp tree : trees)
    buildShare(tree);
  for (collective::TreeOp tree : trees)
    if (failed(expandTree(tree)))
      return failure();
  forest_.erase();
  return success();
}

struct ExpandFolds : impl::ExpandFoldsPassBase<ExpandFolds> {
  void runOnOperation() override {
    SmallVector<collective::ForestOp> forests(
        getOperation().getOps<collective::ForestOp>());
    for (collective::ForestOp forest : forests) {
      auto from = problemFromIR(forest);
      if (failed(from) || failed(ForestExpander(forest, **from).expand()))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace blink
