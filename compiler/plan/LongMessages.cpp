//===- LongMessages.cpp - how long messages are cut over a network --------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/TimeModel.h"

#include <algorithm>
#include <array>

using namespace blink;

namespace {

/// From 1 MiB to 1 GiB.
constexpr std::array<uint64_t, 6> kLongSizes = {
    kReferenceBytes / 64, kReferenceBytes / 16, kReferenceBytes / 4,
    kReferenceBytes,      kReferenceBytes * 4,  kReferenceBytes * 16};
constexpr size_t kFirstLong = 3, kLastLong = 5;

/// The times of messages of these sizes, by the model and on links.
struct LongTimes {
  explicit LongTimes(MessageTime time);

  /// Returns true if no message is noticeably slower than in `other`. On links
  /// the longest one may be slower by a little more than the others, or by a
  /// third of the part that it gains by the model.
  bool isWithin(const LongTimes &other) const;

  std::array<double, kLongSizes.size()> all, links;
};

} // namespace

LongTimes::LongTimes(MessageTime time) {
  // For short messages the model overestimates the time to fill pipelines.
  constexpr double kFill = 0.5;
  const double hops = time.flow.hops;
  for (size_t i = 0; i < kLongSizes.size(); ++i) {
    time.flow.hops = i < kFirstLong ? 1 + (hops - 1) * kFill : hops;
    all[i] = time.at(kLongSizes[i]);
    links[i] = time.linksAt(kLongSizes[i]);
  }
}

bool LongTimes::isWithin(const LongTimes &other) const {
  constexpr double kShort = 1.06, kLong = 1.01;
  const double gain = 1 - all[kLastLong] / other.all[kLastLong];
  const double longestOnLinks = std::max(1.03, 1 + gain / 3);
  for (size_t i = 0; i < kLongSizes.size(); ++i)
    if (all[i] > (i < kFirstLong ? kShort : kLong) * other.all[i] ||
        (i >= kFirstLong &&
         links[i] > (i < kLastLong ? kLong : longestOnLinks) * other.links[i]))
      return false;
  return true;
}

MessageTime blink::cutLongMessages(MessageTime time) {
  constexpr double kBetter = 0.95;
  constexpr uint32_t kMostChunks = 64;
  const uint32_t given = time.flow.chunkBytes;
  if (!time.flow.network || given == 0)
    return time;
  const LongTimes before(time);
  const uint32_t usual = time.flow.leastChunks;
  MessageTime best = time;
  double least = before.all[kLastLong] * kBetter;
  time.flow.leastChunkBytes = given;
  for (uint32_t bytes = given + given / 2; isAllowed(time.flow, bytes);
       bytes += given / 2)
    for (uint32_t chunks = usual; chunks <= kMostChunks; chunks *= 2) {
      time.flow.chunkBytes = bytes;
      time.flow.leastChunks = chunks;
      const LongTimes now(time);
      if (now.all[kLastLong] >= least || !now.isWithin(before))
        continue;
      least = now.all[kLastLong];
      best = time;
    }
  return best;
}
