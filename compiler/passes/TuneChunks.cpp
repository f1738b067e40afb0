//===- TuneChunks.cpp - collective-tune-chunks ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Chooses how finely trees pipeline. The model, for a tree of h hops that moves
// B bytes at w GB/s in chunks of c bytes, each hop taking `a` seconds to start:
//
//     T(c) = (B/c + h - 1) * (a + c/w)
//
// Small chunks pay `a` often, large ones fill the pipeline late. The slowest
// tree counts.
//
// A low_latency schedule is for small messages, whose words flow through a fold
// one by one: there is nothing to tune. The largest fills two chunks, for two
// slots; or one, where chunks cannot follow each other closely.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/TimeModel.h"
#include "compiler/passes/Passes.h"
#include "compiler/target/EnumConversion.h"

#include "mlir/IR/Builders.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace blink {
#define GEN_PASS_DEF_TUNECHUNKSPASS
#include "compiler/passes/Passes.h.inc"

namespace {

constexpr double kReferenceBytes = 64.0 * (1 << 20);
/// Seconds to notice a chunk and start on it, besides the links' latency: a
/// poll, a fence and a store on a GPU of the last years.
constexpr double kStepSeconds = costsOf(Protocol::simple).step * 1e-6;
constexpr int32_t kSmallestChunk = 16 << 10;
constexpr int32_t kLargestChunk = 1 << 20;
/// Two chunks on their way, one being written, one being read.
constexpr int32_t kSlots = 4;
constexpr int32_t kLowLatencySlots = 2;

/// A tree as the model sees it.
struct Pipeline {
  double bytes;
  double bytesPerSecond;
  double hops;
  double hopSeconds;

  double seconds(double chunk) const {
    double chunks = std::max(1.0, std::ceil(bytes / chunk));
    return (chunks + hops - 1) *
           (hopSeconds + std::min(chunk, bytes) / bytesPerSecond);
  }
};

std::vector<Pipeline> pipelines(collective::ScheduleOp schedule) {
  SymbolTableCollection symbols;
  auto topology =
      collective::lookupTopology(schedule, symbols, schedule.getTopologyAttr());
  SymbolTable &links = symbols.getSymbolTable(topology);
  // The slowest path of each share, in seconds of latency.
  llvm::DenseMap<Attribute, double> latencies;
  for (auto channel : schedule.getBody().getOps<collective::ChannelOp>()) {
    double sum = 0;
    for (auto name : channel.getPath().getAsRange<StringAttr>())
      sum += links.lookup<collective::LinkOp>(name)
                 .getLatency()
                 .convertToDouble() *
             1e-6;
    double &slowest = latencies[channel.getShareAttr().getAttr()];
    slowest = std::max(slowest, sum);
  }
  collective::CollectiveKind kind = schedule.getCollective();
  int blocks =
      blocksOfBuffer(fromIR(kind), static_cast<int>(schedule.getGpus().size()));
  double phases = collective::hasUpTrees(kind) + collective::hasDownTrees(kind);
  double rate = schedule.getAlgbw().convertToDouble() * 1e9;
  std::vector<Pipeline> list;
  for (auto share : schedule.getBody().getOps<collective::ShareOp>()) {
    double part =
        double(share.getNumerator()) / double(share.getDenominator()) / blocks;
    list.push_back({kReferenceBytes * part, rate * part,
                    std::max(1.0, phases * share.getDepth()),
                    kStepSeconds + latencies.lookup(share.getSymNameAttr())});
  }
  return list;
}

int32_t chooseChunk(const std::vector<Pipeline> &trees) {
  int32_t best = kSmallestChunk;
  double bestSeconds = std::numeric_limits<double>::infinity();
  for (int32_t chunk = kSmallestChunk; chunk <= kLargestChunk; chunk *= 2) {
    double seconds = 0;
    for (const Pipeline &tree : trees)
      seconds = std::max(seconds, tree.seconds(chunk));
    if (seconds < bestSeconds) {
      best = chunk;
      bestSeconds = seconds;
    }
  }
  return best;
}

/// Whether some lane begins the way of a share's data and reads more of it
/// further on: the lane begins a chunk only after that of others has come.
bool takesTurns(collective::ScheduleOp schedule) {
  auto isChannel = [](Attribute operand) {
    return isa<FlatSymbolRefAttr>(operand);
  };
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
  for (auto share : schedule.getBody().getOps<collective::ShareOp>())
    largest = std::max(largest, double(share.getNumerator()) /
                                    double(share.getDenominator()));
  int blocks = blocksOfBuffer(fromIR(schedule.getCollective()),
                              static_cast<int>(schedule.getGpus().size()));
  int chunks = takesTurns(schedule) ? 1 : kLowLatencySlots;
  double lines = std::ceil(double(maxBytes) * largest / blocks / chunks / 16);
  return static_cast<int32_t>(
      std::clamp(lines * 16, 16.0, double(kLargestChunk)));
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
        chunk = chooseChunk(pipelines(schedule));
      }
      schedule.setChunkBytesAttr(builder.getI32IntegerAttr(chunk));
      for (auto channel : schedule.getBody().getOps<collective::ChannelOp>())
        channel.setSlotsAttr(
            builder.getI32IntegerAttr(small ? kLowLatencySlots : kSlots));
    }
  }
};

} // namespace
} // namespace blink
