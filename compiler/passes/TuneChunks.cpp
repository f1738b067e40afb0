//===- TuneChunks.cpp - collective-tune-chunks ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Chooses how finely trees pipeline, by the model of compiler/packing/
// TimeModel.h: small chunks cost a lane many turns, large ones fill the
// pipeline late.
//
// A low_latency schedule is for small messages, whose words flow through a fold
// one by one: there is nothing to tune. The largest fills two chunks, for two
// slots; or one, where chunks cannot follow each other closely.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/FoldLoads.h"
#include "compiler/packing/TimeModel.h"
#include "compiler/passes/Passes.h"
#include "compiler/target/EnumConversion.h"

#include "mlir/IR/Builders.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_TUNECHUNKSPASS
#include "compiler/passes/Passes.h.inc"

namespace {

constexpr double kLargestChunk = 1 << 20;
constexpr int32_t kLowLatencySlots = 2;

/// The part of the whole buffer that each share carries.
llvm::DenseMap<Attribute, double> partsOf(collective::ScheduleOp schedule) {
  int blocks = blocksOfBuffer(fromIR(schedule.getCollective()),
                              static_cast<int>(schedule.getGpus().size()));
  llvm::DenseMap<Attribute, double> parts;
  for (auto share : schedule.getBody().getOps<collective::ShareOp>())
    parts[share.getSymNameAttr()] =
        double(share.getNumerator()) / double(share.getDenominator()) / blocks;
  return parts;
}

bool isChannel(Attribute operand) { return isa<FlatSymbolRefAttr>(operand); }

/// That a fold reads and writes.
int channelsOf(collective::FoldOp fold) {
  return int(llvm::count_if(fold.getSources(), isChannel) +
             llvm::count_if(fold.getDestinations(), isChannel));
}

/// What chunks cost. The rate is that of the links: a schedule for small
/// messages states another one.
MessageTime timeOf(collective::ScheduleOp schedule) {
  ProtocolCosts costs = costsOf(Protocol::simple);
  ChunkFlow flow;
  flow.turn = costs.turn;
  llvm::DenseMap<Attribute, double> parts = partsOf(schedule);
  collective::CollectiveKind kind = schedule.getCollective();
  int directions =
      collective::hasUpTrees(kind) + collective::hasDownTrees(kind);
  for (auto share : schedule.getBody().getOps<collective::ShareOp>())
    flow.add(parts[share.getSymNameAttr()], directions * share.getDepth());
  for (const auto &[share, part] : parts) // folds without a lane get their own
    flow.laneShare = std::max(flow.laneShare, part);
  double moves = flow.laneShare; // of the busiest lane, of the buffer
  schedule.walk([&](collective::LaneOp lane) {
    double folds = 0, carried = 0, moved = 0;
    for (auto fold : lane.getBody().getOps<collective::FoldOp>()) {
      double part = parts.lookup(fold.getShareAttr().getAttr());
      ++folds;
      carried += part;
      moved += part * movesOfFold(channelsOf(fold));
    }
    flow.folds = std::max(flow.folds, folds);
    flow.laneShare = std::max(flow.laneShare, carried);
    moves = std::max(moves, moved);
  });
  double ranks = double(schedule.getGpus().size());
  for (auto rank : schedule.getBody().getOps<collective::RankOp>())
    if (rank.getRank() < ranks) // no relay
      rank.walk([&](collective::FoldOp fold) {
        flow.channels += channelsOf(fold) / 2.0 / ranks;
      });
  MessageTime time =
      messageTime(costs, 0, schedule.getAlgbw().convertToDouble(), moves);
  time.flow = std::move(flow);
  return time;
}

/// Whether some lane begins the way of a share's data and reads more of it
/// further on: the lane begins a chunk only after that of others has come.
bool takesTurns(collective::ScheduleOp schedule) {
  WalkResult result = schedule.walk([&](collective::LaneOp lane) {
    llvm::DenseSet<Attribute> begun;
    for (auto fold : lane.getBody().getOps<collective::FoldOp>()) {
      if (llvm::none_of(fold.getSources(), isChannel))
        begun.insert(fold.getShareAttr());
      else if (begun.contains(fold.getShareAttr()))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// What the largest share carries of the largest message, or half of it.
int32_t smallChunk(collective::ScheduleOp schedule, int64_t maxBytes) {
  double largest = 0;
  for (const auto &[share, part] : partsOf(schedule))
    largest = std::max(largest, part);
  int chunks = takesTurns(schedule) ? 1 : kLowLatencySlots;
  double lines = std::ceil(double(maxBytes) * largest / chunks / 16);
  return static_cast<int32_t>(std::clamp(lines * 16, 16.0, kLargestChunk));
}

struct TuneChunks : impl::TuneChunksPassBase<TuneChunks> {
  using Base::Base;
  void runOnOperation() override {
    for (auto schedule : getOperation().getOps<collective::ScheduleOp>()) {
      if (schedule.getChunkBytes())
        continue;
      Builder builder(schedule.getContext());
      bool small = schedule.getProtocol() == collective::Protocol::LowLatency &&
                   schedule.getMaxBytes();
      auto asked = static_cast<int32_t>(chunkBytes);
      int32_t chunk = asked;
      if (small) {
        chunk = smallChunk(schedule, *schedule.getMaxBytes());
        if (asked != 0)
          chunk = std::min(chunk, asked);
      } else if (asked == 0) {
        chunk = static_cast<int32_t>(chooseChunk(timeOf(schedule)));
      }
      schedule.setChunkBytesAttr(builder.getI32IntegerAttr(chunk));
      for (auto channel : schedule.getBody().getOps<collective::ChannelOp>())
        channel.setSlotsAttr(builder.getI32IntegerAttr(
            small ? kLowLatencySlots : int32_t(kSlots)));
    }
  }
};

} // namespace
} // namespace blink
