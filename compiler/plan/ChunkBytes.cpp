//===- ChunkBytes.cpp - how large chunks are ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/NetworkCosts.h"
#include "compiler/plan/TimeModel.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace blink;

/// Returns the message size for which chunks are chosen.
static uint64_t referenceOf(const MessageTime &time) {
  if (!time.flow.network)
    return kReferenceBytes;
  return uint64_t(
      std::min(double(kReferenceBytes), kReferenceTime / time.gapPerByte));
}

/// Chunks up to this size need no check of memory: smaller ones are mostly
/// overhead (ChunkSize.h), only larger ones take much memory.
static constexpr uint32_t kFreely = 64 << 10;

bool blink::isAllowed(const ChunkFlow &flow, uint32_t chunk) {
  return chunk <= flow.mostChunk &&
         (chunk <= kFreely ||
          flow.channels * kFewSlots * chunk <= flow.slotBytes);
}

uint32_t blink::chooseChunk(MessageTime time, uint64_t reference) {
  // The model leaves out what many short rounds cost lanes while pipelines
  // fill.
  const uint32_t leastMessage = reference == 0
                                    ? std::min(kFreely, time.flow.mostChunk)
                                    : kSmallestMessage;
  const uint32_t smallest =
      time.flow.network ? leastMessage : uint32_t(16 << 10);
  if (reference == 0)
    reference = referenceOf(time);
  const uint64_t longBytes = 16 * reference;
  constexpr double kLittle = 0.02;
  constexpr double kSlower = 1.05, kSlowerWhenLong = 1.01, kNoticeably = 0.99;
  // The drain is left out at first: it comes last, and no long message should
  // take longer because of it.
  MessageTime whole = time;
  time.flow.slotDrain = time.flow.directDrain = 0;
  auto timeWith = [&](uint32_t chunk, uint64_t bytes) {
    time.flow.chunkBytes = chunk;
    return time.at(bytes);
  };
  std::vector<uint32_t> chunks;
  for (uint32_t chunk = smallest; chunk <= time.flow.mostChunk; chunk *= 2)
    if (isAllowed(time.flow, chunk))
      chunks.push_back(chunk);
  uint32_t fastest = chunks.front();
  for (uint32_t chunk : chunks)
    if (timeWith(chunk, reference) < timeWith(fastest, reference))
      fastest = chunk;
  const double least = timeWith(fastest, reference);
  const double leastShort = timeWith(fastest, reference / 4);
  const double leastLong = timeWith(fastest, longBytes);
  auto isAsFast = [&](uint32_t chunk) {
    if (chunk <= kFreely)
      return timeWith(chunk, reference) <= least * kSlower;
    return timeWith(chunk, reference) <= least * (1 + kLittle) &&
           timeWith(chunk, reference / 4) <= leastShort * (1 + kLittle);
  };
  uint32_t chosen = fastest;
  for (uint32_t chunk : chunks)
    if (isAsFast(chunk))
      chosen = std::max(chosen, chunk);
  while (chosen > kFreely) {
    const double now = timeWith(chosen, reference);
    if (time.fillAt(reference) <= kLittle * now ||
        timeWith(chosen / 2, reference) > least * kSlower ||
        timeWith(chosen / 2, longBytes) > leastLong * kSlowerWhenLong)
      break;
    chosen /= 2;
  }
  auto wholeWith = [&](uint32_t chunk, uint64_t bytes) {
    whole.flow.chunkBytes = chunk;
    return whole.at(bytes);
  };
  while (chosen > kFreely &&
         wholeWith(chosen / 2, reference) <
             kNoticeably * wholeWith(chosen, reference) &&
         wholeWith(chosen / 2, longBytes) <=
             kSlowerWhenLong * wholeWith(chosen, longBytes))
    chosen /= 2;
  return chosen;
}

/// Longest time of any message, relative to before, for the gain of others.
static constexpr double kLittleSlower = 1.02;

namespace {

/// The times of messages of a quarter of the reference's size, of that size, of
/// four and of 16 times that, in chunks of some size: by the model, and if
/// lanes and messages cost nothing.
struct ChunkTimes {
  ChunkTimes(MessageTime time, uint32_t chunk);

  /// Returns the product of all times except those of the longest message.
  double product() const;
  /// Returns true if no message except the shortest takes more than `most`
  /// times as long as in `other`, and the longest no more than
  /// `mostWhenLongest`. On links the limits are a twentieth more for the
  /// message of the reference's size and a hundredth more for longer ones.
  bool isWithin(double most, const ChunkTimes &other,
                double mostWhenLongest = 1.01) const;
  /// Returns true if links that are busy all the time would save no more than
  /// this `part` of the time on links of the message of four times the
  /// reference.
  bool fillsIn(double part) const { return busy >= (1 - part) * links[kFour]; }
  /// The same if the time until the first bytes arrive were only the links'
  /// `latency`.
  bool fillsIn(double part, double latency) const {
    return busy >= (1 - part) * (links[kFour] - start + latency);
  }

  static constexpr size_t kReference = 1, kFour = 2, kLongest = 3;
  std::array<double, 4> all, links;
  double start; ///< microseconds
  double busy;  ///< microseconds that links need for four times the reference
};

} // namespace

ChunkTimes::ChunkTimes(MessageTime time, uint32_t chunk) {
  uint64_t bytes = referenceOf(time) / 4;
  time.flow.chunkBytes = chunk;
  start = time.start;
  for (size_t i = 0; i < all.size(); ++i, bytes *= 4) {
    all[i] = time.at(bytes);
    links[i] = time.linksAt(bytes);
    if (i == kFour)
      busy = double(bytes) * time.flow.linkGap;
  }
}

double ChunkTimes::product() const {
  double product = 1;
  for (size_t i = 0; i < kLongest; ++i)
    product *= all[i] * links[i];
  return product;
}

bool ChunkTimes::isWithin(double most, const ChunkTimes &other,
                          double mostWhenLongest) const {
  constexpr double kLittle = 1.01, kSlowerToFill = 1.05;
  for (size_t i = kReference; i < all.size(); ++i)
    if (all[i] > (i < kLongest ? most : mostWhenLongest) * other.all[i] ||
        links[i] > (i == kReference ? kSlowerToFill : kLittle) * other.links[i])
      return false;
  return true;
}

double blink::timeOfLong(const MessageTime &time) {
  return std::pow(ChunkTimes(time, time.flow.chunkBytes).product(), 1.0 / 6);
}

bool blink::isFasterWhenLong(const MessageTime &time, const MessageTime &other,
                             double part) {
  const ChunkTimes now(time, time.flow.chunkBytes);
  const ChunkTimes before(other, other.flow.chunkBytes);
  return now.isWithin(kLittleSlower, before) &&
         timeOfLong(time) < part * timeOfLong(other);
}

uint32_t blink::refineChunk(const MessageTime &time, double latency) {
  constexpr double kLittle = 0.01, kBetter = 0.98;
  constexpr double kSlowerToFill = 1.03;
  const double mayFill = time.flow.network ? 0.05 : 0.03;
  const uint32_t given = time.flow.chunkBytes;
  const uint32_t least = std::min(given, kFreely);
  const ChunkTimes before(time, given);
  if (before.fillsIn(kLittle))
    return given;
  uint32_t chosen = given;
  double best = before.product() * kBetter;
  for (uint32_t chunk = given / 2; chunk < 2 * given;
       chunk += chunk < given ? given / 8 : given / 4) {
    if (chunk < least || !isAllowed(time.flow, chunk))
      continue;
    const ChunkTimes now(time, chunk);
    if (now.isWithin(kLittleSlower, before) && now.product() < best) {
      best = now.product();
      chosen = chunk;
    }
  }
  const ChunkTimes fastest(time, chosen);
  uint32_t fills = 0; // fills, apart from what hops add to latencies
  for (uint32_t chunk = chosen; chunk >= std::max(least, chosen / 2);
       chunk -= given / 16) {
    const ChunkTimes now(time, chunk);
    if (!now.isWithin(kSlowerToFill, fastest, kLittleSlower))
      break;
    if (now.fillsIn(mayFill))
      return chunk;
    if (fills == 0 && now.fillsIn(mayFill, latency))
      fills = chunk;
  }
  return fills > 0 ? fills : chosen;
}
