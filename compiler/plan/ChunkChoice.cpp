//===- ChunkChoice.cpp - the slots of a program's channels ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/ChunkChoice.h"

#include "compiler/plan/NetworkCosts.h"
#include "schedules/Collectives.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cmath>

using namespace blink;

static constexpr double kLargestChunk = 1 << 20;
static constexpr uint32_t kLowLatencySlots = 2;
// Chunk of a sendrecv, with few slots, because a rank has such rings with each
// other rank.
static constexpr uint32_t kPairChunk = 64 << 10;

ChannelSlots blink::chooseSlots(const FoldProgram &program, uint32_t asked,
                                bool small) {
  if (isPairwise(program.collective)) // one hop has no pipeline to fill
    return {asked ? asked : kPairChunk, kFewSlots};
  const ChunkFlow flow =
      (small && asked == 0 ? timeOfSmall(program, Protocol::simple)
                           : cutShortMessages(timeOfLarge(program, asked)))
          .flow;
  bool many = flow.channels * kSlots * flow.chunkBytes > flow.slotBytes;
  return {flow.sizes(), many ? kFewSlots : kSlots};
}

/// Returns the window of a network channel that takes `transfer` microseconds
/// for a chunk.
static int windowOf(const FoldProgram &program,
                    const FoldProgram::Channel &channel, double transfer) {
  constexpr double kRoundTrips = 2;
  const double roundTrip = 2 * program.latencyOf(channel);
  const double more = std::ceil(kRoundTrips * roundTrip / transfer);
  return int(std::min(std::max(double(kLeastWindow), 1 + more),
                      double(channel.slots)));
}

void blink::assignSlots(FoldProgram &program, ChannelSlots slots) {
  const double ofRank = double(program.channels.size()) * program.images() /
                        double(program.ranks.size());
  const bool deeper = ofRank * 2 * slots.slots * slots.chunks.bytes <=
                      slotBytesOfRank(program.numRanks);
  for (FoldProgram::Channel &channel : program.channels)
    channel.slots = int(slots.slots);
  for (const FoldProgram::Rank &rank : program.ranks)
    for (const FoldProgram::Fold &fold : rank.folds) {
      llvm::SmallVector<FoldProgram::Channel *> leaving;
      for (const FoldProgram::Operand &to : rank.destinationsOf(fold))
        if (to.isChannel() && program.channels[to.index].leavesMachine())
          leaving.push_back(&program.channels[to.index]);
      if (deeper && leaving.size() > 1)
        for (FoldProgram::Channel *channel : leaving)
          channel->slots *= 2;
    }
  // All trees have equally many chunks, so all transfers take equally long.
  const double transfer =
      double(slots.chunks.bytes) /
      (largestShare(program) * rateOfLinks(program) * kBytesPerMicrosecond);
  for (FoldProgram::Channel &channel : program.channels)
    channel.window =
        channel.leavesMachine() ? windowOf(program, channel, transfer) : 0;
}

ChannelSlots blink::chooseSmallSlots(const FoldProgram &program,
                                     uint64_t maxBytes, uint32_t asked) {
  const double lines = std::ceil(double(maxBytes) * largestShare(program) / 16);
  auto bytes = uint32_t(std::clamp(lines * 16, 16.0, kLargestChunk));
  return {asked == 0 ? bytes : std::min(bytes, asked), kLowLatencySlots};
}

/// Returns the slots of a variant for medium messages on one machine. Rings are
/// shared with other variants (RingTable.h), so a slot is not larger than the
/// largest message needs.
static ChannelSlots chooseMediumSlots(const FoldProgram &program,
                                      uint64_t maxBytes, uint32_t asked) {
  constexpr uint64_t kGranule = 64;
  ChannelSlots slots = chooseSlots(program, asked);
  const auto bytes = uint64_t(double(maxBytes) * largestShare(program));
  const uint64_t whole = (bytes / kGranule + 2) * kGranule; // and an element
  slots.chunks.bytes =
      uint32_t(std::min(whole, sched::chunkBytesOfCall(slots.chunks, whole)));
  return slots;
}

ChannelSlots blink::chooseSlotsFor(const FoldProgram &program, VariantUse use,
                                   uint32_t asked) {
  if (!use.maxBytes)
    return chooseSlots(program, asked);
  if (use.protocol == sched::Protocol::low_latency)
    return chooseSmallSlots(program, *use.maxBytes, asked);
  return leavesMachine(program)
             ? chooseSlots(program, asked, /*small=*/true)
             : chooseMediumSlots(program, *use.maxBytes, asked);
}
