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
  schedule_ = builder_.create<collective::ScheduleOp>(
      forest.getLoc(), forest.getCollective(), forest.getTopologyAttr(),
      forest.getGpus(), forest.getLinks(), root,
      forest.getAlgbw().convertToDouble(), forest.getBound().convertToDouble(),
      forest.getPrices(), std::nullopt);
  schedule_.setRelaysAttr(forest.getRelaysAttr());
  collective::copyVariant(schedule_, forest);
  builder_.setInsertionPointToEnd(&schedule_.getBody().front());
  size_t programs = forest.getGpus().size() + from.fabric.relays().size();
  for (size_t rank = 0; rank < programs; ++rank) {
    auto op = builder_.create<collective::RankOp>(forest.getLoc(),
                                                  static_cast<int32_t>(rank));
    if (rank == 0)
      firstRank_ = op;
    ranks_.push_back(&op.getBody().front());
  }
}

FlatSymbolRefAttr FoldBuilder::addShare(StringRef name, int root, int parts,
                                        int depth) {
  builder_.setInsertionPoint(firstRank_);
  builder_.create<collective::ShareOp>(forest_.getLoc(), name, root,
                                       /*block=*/0, /*numerator=*/1,
                                       /*denominator=*/parts, depth);
  return FlatSymbolRefAttr::get(builder_.getContext(), name);
}

FlatSymbolRefAttr FoldBuilder::addShare(collective::TreeOp tree, StringRef name,
                                        int block, int depth) {
  builder_.setInsertionPoint(firstRank_);
  builder_.create<collective::ShareOp>(tree.getLoc(), name, tree.getRoot(),
                                       block, tree.getNumerator(),
                                       tree.getDenominator(), depth);
  return FlatSymbolRefAttr::get(builder_.getContext(), name);
}

FailureOr<FoldBuilder::Connection>
FoldBuilder::connect(collective::EdgeAttr edge, FlatSymbolRefAttr share) {
  return connect(edge.getFrom(), edge.getTo(),
                 from_.machine.path(edge.getPath()), share);
}

FailureOr<FoldBuilder::Connection>
FoldBuilder::connect(int from, int to, const Path &path,
                     FlatSymbolRefAttr share) {
  llvm::Expected<std::vector<Fabric::Segment>> segments =
      from_.fabric.segments(from, to, path);
  if (!segments)
    return forest_.emitError(toString(segments.takeError()));
  Connection connection;
  for (const Fabric::Segment &segment : *segments) {
    Attribute channel = addChannel(segment, share);
    if (connection.entry)
      addFold(segment.from, share, {connection.exit}, {channel}, false);
    else
      connection.entry = channel;
    connection.exit = channel;
  }
  return connection;
}

Attribute FoldBuilder::addChannel(const Fabric::Segment &segment,
                                  FlatSymbolRefAttr share) {
  std::string name = "c" + std::to_string(numChannels_++);
  SmallVector<StringAttr> names = from_.machine.names(segment.path);
  SmallVector<Attribute> path(names.begin(), names.end());
  builder_.setInsertionPoint(firstRank_);
  builder_.create<collective::ChannelOp>(
      forest_.getLoc(), name, toIR(segment.kind), share.getValue(),
      segment.from, segment.to,
      /*slots=*/1, builder_.getArrayAttr(path));
  return FlatSymbolRefAttr::get(builder_.getContext(), name);
}

void FoldBuilder::addFold(int rank, FlatSymbolRefAttr share,
                          ArrayRef<Attribute> sources,
                          ArrayRef<Attribute> destinations, bool completes) {
  builder_.setInsertionPointToEnd(ranks_[rank]);
  builder_.create<collective::FoldOp>(
      forest_.getLoc(), share.getValue(), builder_.getArrayAttr(sources),
      builder_.getArrayAttr(destinations), completes);
}

void FoldBuilder::joinLanes() {
  for (Block *rank : ranks_) {
    SmallVector<collective::FoldOp> folds(rank->getOps<collective::FoldOp>());
    builder_.setInsertionPointToEnd(rank);
    Block *lane = nullptr;
    Attribute share; // of the lane
    for (collective::FoldOp fold : folds) {
      if (fold.getShareAttr() != share) {
        share = fold.getShareAttr();
        lane = &builder_.create<collective::LaneOp>(forest_.getLoc())
                    .getBody()
                    .front();
      }
      fold->moveBefore(lane, lane->end());
    }
  }
}

Attribute FoldBuilder::input(int block) {
  return collective::BufferAttr::get(builder_.getContext(),
                                     collective::BufferKind::Input, block);
}

Attribute FoldBuilder::output(int block) {
  return collective::BufferAttr::get(builder_.getContext(),
                                     collective::BufferKind::Output, block);
}
