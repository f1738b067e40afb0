//===- ScheduleMoves.cpp - what the folds of a schedule move --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/ScheduleMoves.h"

#include "compiler/target/EnumConversion.h"

#include <algorithm>

using namespace mlir;
using namespace blink;

ScheduleMoves::ScheduleMoves(collective::ScheduleOp schedule)
    : protocol_(fromIR(
          schedule.getProtocol().value_or(collective::Protocol::Simple))) {
  int blocks = blocksOfBuffer(fromIR(schedule.getCollective()),
                              static_cast<int>(schedule.getGpus().size()));
  llvm::DenseMap<Attribute, int> trees, channels;
  for (auto share : schedule.getBody().getOps<collective::ShareOp>()) {
    trees.try_emplace(share.getSymNameAttr(), int(trees.size()));
    parts_[share.getSymNameAttr()] =
        double(share.getNumerator()) / double(share.getDenominator()) / blocks;
  }
  FoldTable table(fromIR(schedule.getCollective()));
  for (auto channel : schedule.getBody().getOps<collective::ChannelOp>())
    channels[channel.getSymNameAttr()] =
        table.addChannel(fromIR(channel.getKind()));
  auto numberOf = [&](Attribute operand) {
    if (auto channel = dyn_cast<FlatSymbolRefAttr>(operand))
      return channels.lookup(channel.getAttr());
    return cast<collective::BufferAttr>(operand).getKind() ==
                   collective::BufferKind::Input
               ? FoldTable::kInput
               : FoldTable::kOutput;
  };
  SmallVector<collective::FoldOp> folds;
  for (auto rank : schedule.getBody().getOps<collective::RankOp>())
    rank.walk([&](collective::FoldOp fold) {
      folds.push_back(fold);
      table.addFold(
          int(rank.getRank()), trees.lookup(fold.getShareAttr().getAttr()),
          fold.getCompletes(), llvm::map_to_vector(fold.getSources(), numberOf),
          llvm::map_to_vector(fold.getDestinations(), numberOf));
    });
  for (auto [fold, moves] : llvm::zip_equal(folds, table.moves()))
    moves_[fold] = moves;
}

FoldLoad ScheduleMoves::loadOf(collective::FoldOp fold) const {
  bool up = llvm::all_of(fold.getDestinations(), [](Attribute destination) {
    return isa<FlatSymbolRefAttr>(destination);
  });
  return blink::loadOf(moves_.lookup(fold), shareOf(fold), up, protocol_);
}

double ScheduleMoves::shareOf(collective::FoldOp fold) const {
  return partOf(fold.getShareAttr().getAttr());
}

double ScheduleMoves::largestPart() const {
  double largest = 0;
  for (const auto &[share, part] : parts_)
    largest = std::max(largest, part);
  return largest;
}
