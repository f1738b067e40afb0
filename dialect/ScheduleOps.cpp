//===- ScheduleOps.cpp - level 4, the program of each rank ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Verifiers of collective.schedule and the ops that it holds. They check that
// the program is well formed. Whether it computes the right result without a
// deadlock is proved by collective-verify-schedule.
//
//===----------------------------------------------------------------------===//

#include "dialect/Collective.h"
#include "dialect/PathRules.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <cmath>

using namespace mlir;
using namespace blink::collective;

//===----------------------------------------------------------------------===//
// ScheduleOp
//===----------------------------------------------------------------------===//

/// Verifies what the file's rules demand of times (schedules/schedule.fbs).
static LogicalResult verifyTimes(ScheduleOp op, ArrayRef<int64_t> bytes,
                                 ArrayRef<double> microseconds) {
  const size_t count = bytes.size();
  if (count < 2 || count != microseconds.size())
    return op.emitOpError() << "has " << microseconds.size() << " times of "
                            << count << " sizes, expected two or more of each";
  for (size_t i = 0; i < count; ++i) {
    if (i == 0 ? bytes[0] != 0 : bytes[i] <= bytes[i - 1])
      return op.emitOpError() << "has a time of " << bytes[i]
                              << " bytes, expected sizes that ascend from 0";
    if (!std::isfinite(microseconds[i]) || microseconds[i] < 0)
      return op.emitOpError() << "has a time of " << microseconds[i]
                              << " microseconds, expected at least 0";
  }
  if (microseconds[count - 1] < microseconds[count - 2])
    return op.emitOpError("takes less time for the last size than for the one "
                          "before it");
  return success();
}

LogicalResult ScheduleOp::verify() {
  constexpr int32_t kMaxChunkBytes = 64 << 20;
  if (auto attr = getChunkBytesAttr()) {
    int64_t bytes = attr.getInt();
    if (bytes < 16 || bytes > kMaxChunkBytes || bytes % 16 != 0)
      return emitOpError() << "has chunk_bytes " << bytes
                           << ", expected a multiple of 16 from 16 to "
                           << kMaxChunkBytes;
  }
  if (!getLeastChunkBytesAttr() != !getLeastChunksAttr())
    return emitOpError("has one of least_chunks and least_chunk_bytes, "
                       "expected both or neither");
  if (auto attr = getLeastChunkBytesAttr()) {
    const int64_t bytes = attr.getInt();
    if (bytes < 64 || bytes > kMaxChunkBytes || bytes % 64 != 0)
      return emitOpError() << "has chunks of at least " << bytes
                           << " bytes, expected a multiple of 64 from 64 to "
                           << kMaxChunkBytes;
    if (const int64_t least = getLeastChunksAttr().getInt();
        least < 1 || least > UINT16_MAX)
      return emitOpError() << "has at least " << least
                           << " chunks, expected 1 to " << UINT16_MAX;
  }
  if (getTimeBytes() || getTimeUs())
    if (failed(verifyTimes(*this, getTimeBytes().value_or(ArrayRef<int64_t>()),
                           getTimeUs().value_or(ArrayRef<double>()))))
      return failure();
  return verifyStatement(*this);
}

namespace {
/// The folds at the two ends of a channel.
struct ChannelEnds {
  Operation *writer = nullptr;
  Operation *reader = nullptr;
};
} // namespace

/// The rank of a fold that also stands for its images.
static constexpr int32_t kAnyRank = -1;

/// Records the channel ends of one fold of `rank`, which may be kAnyRank.
/// Errors: an end on the wrong rank, an end that another fold uses, a channel
/// of another share.
static LogicalResult
noteChannels(FoldOp fold, int32_t rank,
             const llvm::DenseMap<Attribute, ChannelOp> &channels,
             llvm::DenseMap<Attribute, ChannelEnds> &ends) {
  for (bool reads : {true, false}) {
    ArrayAttr operands = reads ? fold.getSources() : fold.getDestinations();
    for (auto symbol : operands.getAsRange<Attribute>()) {
      auto name = dyn_cast<FlatSymbolRefAttr>(symbol);
      if (!name)
        continue;
      ChannelOp channel = channels.lookup(name.getAttr());
      if (!channel)
        return fold.emitOpError()
               << "names channel " << name << ", which does not exist";
      int32_t end = reads ? channel.getTo() : channel.getFrom();
      if (rank != kAnyRank && end != rank)
        return fold.emitOpError()
               << "of rank " << rank << (reads ? " reads " : " writes ") << name
               << ", which " << (reads ? "ends" : "begins") << " at rank "
               << end;
      if (channel.getShareAttr() != fold.getShareAttr())
        return fold.emitOpError()
               << "of " << fold.getShareAttr() << " uses " << name << ", which "
               << "carries " << channel.getShareAttr();
      ChannelEnds &end_ = ends[name.getAttr()];
      Operation *&taken = reads ? end_.reader : end_.writer;
      if (taken)
        return fold.emitOpError() << (reads ? "reads " : "writes ") << name
                                  << ", which another fold "
                                  << (reads ? "reads" : "writes") << " already";
      taken = fold;
    }
  }
  return success();
}

/// Checks that a fold of a relay touches no buffers, which relays lack.
static LogicalResult verifyForwards(FoldOp fold) {
  for (ArrayAttr operands : {fold.getSources(), fold.getDestinations()})
    for (Attribute operand : operands)
      if (isa<BufferAttr>(operand))
        return fold.emitOpError()
               << "of a relay touches " << operand << "; relays only forward";
  return success();
}

/// Checks that no fold writes a sum of some ranks to an output: such sums are
/// float32, for which outputs have no room. `ends` are those of all channels.
static LogicalResult
verifyPartialSums(ScheduleOp schedule,
                  const llvm::DenseMap<Attribute, ChannelEnds> &ends) {
  // Whether a fold writes such a sum; absent if not known yet.
  llvm::DenseMap<Operation *, bool> known;
  auto isPartial = [&](FoldOp fold) {
    SmallVector<Operation *> copies;
    bool partial = false; // stays false for copies in a circle
    while (!fold.getCompletes() && known.try_emplace(fold, false).second) {
      copies.push_back(fold);
      partial = fold.getSources().size() > 1;
      auto source = dyn_cast<FlatSymbolRefAttr>(fold.getSources()[0]);
      if (partial || !source)
        break;
      fold = cast<FoldOp>(ends.lookup(source.getAttr()).writer);
    }
    partial |= known.lookup(fold);
    for (Operation *copy : copies)
      known[copy] = partial;
    return partial;
  };
  WalkResult result = schedule.walk([&](FoldOp fold) -> WalkResult {
    bool toOutput = llvm::any_of(fold.getDestinations(), [](Attribute to) {
      return isa<BufferAttr>(to);
    });
    if (toOutput && isPartial(fold))
      return fold.emitOpError("writes a sum of some ranks to the output, which "
                              "has no room for f32, in which the schedule "
                              "accumulates");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult ScheduleOp::verifyRegions() {
  int32_t numRanks = getGpus().size();
  int32_t numPrograms = numRanks + (getRelays() ? getRelays()->size() : 0);
  int32_t blocks = numShareBlocks(getCollective(), numRanks);
  ShareSum shares;
  llvm::DenseMap<Attribute, ChannelOp> channels;
  llvm::DenseMap<Attribute, ChannelEnds> ends;
  const auto images = static_cast<int32_t>(numImages(*this));
  int32_t nextRank = 0, foundRanks = 0;
  for (Operation &op : getBody().front()) {
    if (auto share = dyn_cast<ShareOp>(op)) {
      if (static_cast<int32_t>(share.getRoot()) >= numRanks)
        return share.emitOpError() << "has root " << share.getRoot()
                                   << ", but ranks 0 to " << numRanks - 1;
      if (failed(shares.add(share, share.getBlock(), blocks,
                            share.getNumerator(), share.getDenominator())))
        return failure();
    } else if (auto channel = dyn_cast<ChannelOp>(op)) {
      for (int32_t end : {channel.getFrom(), channel.getTo()})
        if (end < 0 || end >= numPrograms)
          return channel.emitOpError()
                 << "has an end at rank " << end << ", but ranks 0 to "
                 << numPrograms - 1;
      channels[channel.getSymNameAttr()] = channel;
    } else if (auto rank = dyn_cast<RankOp>(op)) {
      const auto number = static_cast<int32_t>(rank.getRank());
      if (images == 1 ? number != nextRank
                      : number < nextRank || number >= numRanks)
        return rank.emitOpError()
               << "is rank " << number << ", expected rank " << nextRank
               << (images == 1 ? "" : " or a later one");
      nextRank = number + 1;
      ++foundRanks;
    } else {
      return op.emitOpError("does not belong in a schedule: expected "
                            "collective.share, .channel or .rank");
    }
  }
  if (foundRanks * images != numPrograms)
    return emitOpError() << "has programs for " << foundRanks * images << " of "
                         << numPrograms << " ranks";
  for (RankOp rank : getBody().getOps<RankOp>()) {
    WalkResult result = rank.walk([&](FoldOp fold) -> WalkResult {
      if (static_cast<int32_t>(rank.getRank()) >= numRanks &&
          failed(verifyForwards(fold)))
        return failure();
      // With images, the fold is the fold of some rank at which the channel
      // ends.
      const int32_t number =
          images == 1 ? static_cast<int32_t>(rank.getRank()) : kAnyRank;
      return noteChannels(fold, number, channels, ends);
    });
    if (result.wasInterrupted())
      return failure();
  }
  for (ChannelOp channel : getBody().getOps<ChannelOp>()) {
    ChannelEnds found = ends.lookup(channel.getSymNameAttr());
    if (!found.writer || !found.reader)
      return channel.emitOpError()
             << "is never " << (found.writer ? "read" : "written");
  }
  if (getAccumulate() && failed(verifyPartialSums(*this, ends)))
    return failure();
  return shares.verify(*this, blocks, numImages(*this));
}

LogicalResult ScheduleOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<PathChecker> paths = verifyMachine(*this, symbols);
  if (failed(paths))
    return failure();
  for (ShareOp share : getBody().getOps<ShareOp>())
    if (failed(
            paths->checkSwitch(share, share.getRoot(), share.getSwitchUse())))
      return failure();
  for (ChannelOp channel : getBody().getOps<ChannelOp>()) {
    SmallVector<StringAttr> path(channel.getPath().getAsRange<StringAttr>());
    if (failed(paths->check(channel, channel.getFrom(), channel.getTo(), path,
                            PathChecker::Over::nobody)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ShareOp, ChannelOp
//===----------------------------------------------------------------------===//

LogicalResult ShareOp::verify() {
  if (static_cast<int32_t>(getRoot()) < 0 ||
      static_cast<int32_t>(getDepth()) < 0)
    return emitOpError("root and depth must be >= 0");
  if (static_cast<int64_t>(getNumerator()) < 1)
    return emitOpError("carries nothing: expected a share > 0");
  return success();
}

LogicalResult ChannelOp::verify() {
  constexpr int32_t kMaxSlots = 1024;
  int32_t slots = getSlots();
  if (slots < 1 || slots > kMaxSlots)
    return emitOpError() << "has " << slots << " slots, expected 1 to "
                         << kMaxSlots;
  if (auto window = int32_t(getWindow()); window != 0) {
    if (getKind() != ChannelKind::Network)
      return emitOpError() << "is " << stringifyChannelKind(getKind())
                           << " and has a window; only network channels have";
    if (window < 0 || window > slots)
      return emitOpError() << "has a window of " << window << " and " << slots
                           << " slots, expected 0 to " << slots;
  }
  if (getFrom() == getTo())
    return emitOpError() << "joins rank " << getFrom() << " to itself";
  return success();
}

LogicalResult ChannelOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<ShareOp>(*this, getShareAttr()))
    return emitOpError() << "names no collective.share: " << getShareAttr();
  return success();
}

//===----------------------------------------------------------------------===//
// RankOp, LaneOp, FoldOp
//===----------------------------------------------------------------------===//

LogicalResult RankOp::verifyRegions() {
  bool hasLanes = !getBody().getOps<LaneOp>().empty();
  for (Operation &op : getBody().front())
    if (hasLanes ? !isa<LaneOp>(op) : !isa<FoldOp>(op))
      return op.emitOpError("does not belong here: a rank holds either lanes "
                            "or loose folds");
  return success();
}

LogicalResult LaneOp::verifyRegions() {
  if (getBody().front().empty())
    return emitOpError("has no fold");
  int32_t delay = 0;
  for (Operation &op : getBody().front()) {
    auto fold = dyn_cast<FoldOp>(op);
    if (!fold)
      return op.emitOpError(
          "does not belong in a lane: expected collective.fold");
    if (int32_t(fold.getDelay()) < delay)
      return fold.emitOpError()
             << "has a delay of " << fold.getDelay() << " after one of "
             << delay << " in its lane; expected no less";
    delay = int32_t(fold.getDelay());
  }
  return success();
}

LogicalResult FoldOp::verify() {
  if (getSources().empty() || getDestinations().empty())
    return emitOpError("needs at least one source and one destination");
  for (ArrayAttr operands : {getSources(), getDestinations()}) {
    llvm::SmallPtrSet<Attribute, 8> seen;
    for (Attribute operand : operands) {
      if (!seen.insert(operand).second)
        return emitOpError() << "lists " << operand << " twice";
      auto buffer = dyn_cast<BufferAttr>(operand);
      if (buffer && buffer.getBlock() < 0)
        return emitOpError() << "has a negative block";
    }
  }
  for (Attribute operand : getDestinations())
    if (auto buffer = dyn_cast<BufferAttr>(operand))
      if (buffer.getKind() == BufferKind::Input)
        return emitOpError("writes its input; only output may be written");
  return success();
}

LogicalResult FoldOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<ShareOp>(*this, getShareAttr()))
    return emitOpError() << "names no collective.share: " << getShareAttr();
  return success();
}
