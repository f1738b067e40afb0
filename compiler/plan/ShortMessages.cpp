//===- ShortMessages.cpp - how short messages are cut ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/NetworkCosts.h"
#include "compiler/plan/TimeModel.h"

#include <array>
#include <cmath>

using namespace blink;

/// Sizes from 512 KiB to 16 MiB at which cutShortMessages compares times.
static constexpr std::array<uint64_t, 6> kSizes = {
    512 << 10, 1 << 20, 2 << 20, 4 << 20, 8 << 20, 16 << 20};

/// Sizes from 128 KiB to 4 MiB at which cutInFewer compares times.
static constexpr std::array<uint64_t, 6> kSmallSizes = {
    128 << 10, 256 << 10, 512 << 10, 1 << 20, 2 << 20, 4 << 20};

MessageTime blink::cutShortMessages(MessageTime time) {
  // Times are estimates, so a smaller gain does not count, and no size should
  // pay for the gain of others. For small messages the model overestimates the
  // time to fill pipelines.
  constexpr double kBetter = 0.98, kSlower = 1.01, kFill = 0.5;
  constexpr uint32_t kMostChunks = 32;
  if (time.flow.network)
    return cutLongMessages(std::move(time));
  // Lanes of several folds take turns even while pipelines fill.
  const uint32_t smallest = time.flow.slots.folds > 1 ? 32 << 10 : 8 << 10;
  const double hops = time.flow.hops;
  time.flow.hops = 1 + (hops - 1) * kFill;
  std::array<double, kSizes.size()> before;
  for (size_t i = 0; i < kSizes.size(); ++i)
    before[i] = time.at(kSizes[i]);
  const sched::ChunkSizes usual = time.flow.sizes();
  sched::ChunkSizes best = usual;
  double least = std::pow(kBetter, double(kSizes.size()));
  for (uint32_t bytes = usual.leastBytes; bytes >= smallest; bytes /= 2)
    for (uint32_t chunks = usual.leastChunks; chunks <= kMostChunks;
         chunks *= 2) {
      time.flow.leastChunkBytes = bytes;
      time.flow.leastChunks = chunks;
      double product = 1;
      bool slower = false;
      for (size_t i = 0; i < kSizes.size(); ++i) {
        const double part = time.at(kSizes[i]) / before[i];
        product *= part;
        slower |= part > kSlower;
      }
      if (slower || product >= least)
        continue;
      least = product;
      best = time.flow.sizes();
    }
  time.flow.hops = hops;
  time.flow.leastChunkBytes = best.leastBytes;
  time.flow.leastChunks = best.leastChunks;
  return time;
}

MessageTime blink::fillPackets(MessageTime time) {
  constexpr uint32_t kMany = 8;
  ChunkFlow &flow = time.flow;
  const uint32_t packet = std::min(kPacketMessage, flow.mostChunk);
  if (!flow.network || flow.chunkBytes == 0 || flow.chunkBytes >= packet)
    return time;
  flow.leastChunkBytes = flow.chunkBytes;
  flow.leastChunks = kMany;
  flow.chunkBytes = packet;
  return time;
}

MessageTime blink::cutInFewer(MessageTime time) {
  constexpr double kBetter = 0.98, kSlower = 1.01;
  if (!time.flow.network || time.flow.chunkBytes == 0)
    return time;
  const MessageTime usual = time;
  MessageTime best = time;
  double least = std::pow(kBetter, double(kSmallSizes.size()));
  for (uint32_t bytes = usual.flow.leastChunkBytes;
       bytes <= std::max(usual.flow.chunkBytes, usual.flow.leastChunkBytes);
       bytes *= 2)
    for (uint32_t chunks = 1; chunks <= usual.flow.leastChunks; chunks *= 2) {
      time.flow.leastChunkBytes = bytes;
      time.flow.leastChunks = chunks;
      double product = 1;
      bool slower = false;
      for (uint64_t size : kSmallSizes) {
        const double part = time.at(size) / usual.at(size);
        product *= part;
        slower |= part > kSlower;
      }
      if (slower || product >= least)
        continue;
      least = product;
      best = time;
    }
  return best;
}
