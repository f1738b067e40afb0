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

#include "compiler/passes/Passes.h"
#include "compiler/passes/ScheduleMoves.h"
#include "compiler/plan/TimeModel.h"

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

bool isChannel(Attribute operand) { return isa<FlatSymbolRefAttr>(operand); }

/// That a fold reads and writes.
int channelsOf(collective::FoldOp fold) {
  return int(llvm::count_if(fold.getSources(), isChannel) +
             llvm::count_if(fold.getDestinations(), isChannel));
}

/// What chunks cost. The rate is that of the links: a schedule for small
/// messages states another one.
MessageTime timeOf(collective::ScheduleOp schedule) {
  ScheduleMoves moves(schedule);
  LaneLoads lanes;
  auto add = [&](Operation *within) {
    lanes.startLane();
    within->walk([&](collective::FoldOp fold) {
      lanes.add(moves.loadOf(fold), moves.shareOf(fold));
    });
  };
  schedule.walk([&](collective::RankOp rank) {
    for (Operation &op : rank.getBody().front())
      add(&op); // a lane, or a fold that has none and gets its own
  });
  MessageTime time = messageTime(costsOf(Protocol::simple), 0,
                                 schedule.getAlgbw().convertToDouble(), lanes);
  ChunkFlow &flow = time.flow;
  collective::CollectiveKind kind = schedule.getCollective();
  int directions =
      collective::hasUpTrees(kind) + collective::hasDownTrees(kind);
  for (auto share : schedule.getBody().getOps<collective::ShareOp>())
    flow.add(moves.partOf(share.getSymNameAttr()),
             directions * share.getDepth());
  double ranks = double(schedule.getGpus().size());
  for (auto rank : schedule.getBody().getOps<collective::RankOp>())
    if (rank.getRank() < ranks) // no relay
      rank.walk([&](collective::FoldOp fold) {
        flow.channels += channelsOf(fold) / 2.0 / ranks;
      });
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
  double largest = ScheduleMoves(schedule).largestPart();
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
      int32_t chunk = asked, slots = kLowLatencySlots;
      if (small) {
        chunk = smallChunk(schedule, *schedule.getMaxBytes());
        if (asked != 0)
          chunk = std::min(chunk, asked);
      } else {
        MessageTime time = timeOf(schedule);
        if (asked == 0)
          chunk = static_cast<int32_t>(chooseChunk(time));
        slots = int32_t(slotsOfChannel(time.flow.channels, chunk));
      }
      schedule.setChunkBytesAttr(builder.getI32IntegerAttr(chunk));
      for (auto channel : schedule.getBody().getOps<collective::ChannelOp>())
        channel.setSlotsAttr(builder.getI32IntegerAttr(slots));
    }
  }
};

} // namespace
} // namespace blink
