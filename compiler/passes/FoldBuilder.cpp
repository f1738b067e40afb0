//===- FoldBuilder.cpp - channels and folds, one by one -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/FoldBuilder.h"

#include "compiler/target/EnumConversion.h"

using namespace blink;
using namespace mlir;

FoldBuilder::FoldBuilder(collective::ForestOp forest, const ProblemFromIR &from)
    : forest_(forest), from_(from), builder_(forest) {
  std::optional<int32_t> root;
  if (forest.getRoot())
    root = *forest.getRoot();
  auto schedule = builder_.create<collective::ScheduleOp>(
      forest.getLoc(), forest.getCollective(), forest.getTopologyAttr(),
      forest.getGpus(), forest.getLinks(), root,
      forest.getAlgbw().convertToDouble(), forest.getBound().convertToDouble(),
      forest.getPrices(), std::nullopt);
  builder_.setInsertionPointToEnd(&schedule.getBody().front());
  for (size_t rank = 0; rank < forest.getGpus().size(); ++rank) {
    auto op = builder_.create<collective::RankOp>(forest.getLoc(),
                                                  static_cast<int32_t>(rank));
    if (rank == 0)
      firstRank_ = op;
    ranks_.push_back(&op.getBody().front());
  }
}

FlatSymbolRefAttr FoldBuilder::addShare(collective::TreeOp tree, StringRef name,
                                        int block, int depth) {
  builder_.setInsertionPoint(firstRank_);
  builder_.create<collective::ShareOp>(tree.getLoc(), name, tree.getRoot(),
                                       block, tree.getNumerator(),
                                       tree.getDenominator(), depth);
  return FlatSymbolRefAttr::get(builder_.getContext(), name);
}

FailureOr<Attribute> FoldBuilder::addChannel(collective::EdgeAttr edge,
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

void FoldBuilder::addFold(int rank, FlatSymbolRefAttr share,
                          ArrayRef<Attribute> sources,
                          ArrayRef<Attribute> destinations, bool completes) {
  builder_.setInsertionPointToEnd(ranks_[rank]);
  builder_.create<collective::FoldOp>(
      forest_.getLoc(), share.getValue(), builder_.getArrayAttr(sources),
      builder_.getArrayAttr(destinations), completes);
}

Attribute FoldBuilder::input(int block) {
  return collective::BufferAttr::get(builder_.getContext(),
                                     collective::BufferKind::Input, block);
}

Attribute FoldBuilder::output(int block) {
  return collective::BufferAttr::get(builder_.getContext(),
                                     collective::BufferKind::Output, block);
}
