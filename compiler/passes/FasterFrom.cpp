//===- FasterFrom.cpp - the size at which a variant takes over ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/FasterFrom.h"

#include "compiler/plan/ChunkChoice.h"
#include "compiler/plan/NetworkCosts.h"
#include "compiler/plan/SizeRanges.h"
#include "compiler/simulate/ShortTimes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <vector>

using namespace blink;

namespace {

/// The most places above the given one: four times its size.
constexpr size_t kMostPlaces = 8;

/// Finds out which of two variants is the faster one.
class Comparison {
public:
  Comparison(RangedProgram small, RangedProgram large)
      : small_(std::move(small)), large_(std::move(large)),
        sizes_(comparedSizes()) {}

  llvm::Expected<std::optional<uint64_t>> firstFaster(uint32_t chunkBytes);

private:
  void giveSlots(uint64_t most, uint32_t chunkBytes);
  /// Returns true if the variant for large messages is no slower.
  llvm::Expected<bool> isFaster(size_t place);
  /// Returns the first power of two, from the last of the sizes to 4 GiB, at
  /// which the variant for large messages is no slower by the model. If there
  /// is none, returns 4 GiB, or nothing if that variant is of no use at all.
  std::optional<uint64_t> fasterByModel(uint32_t chunkBytes) const;
  /// Returns the places of the least size and of the greatest one that may be
  /// the result.
  size_t leastPlace() const {
    return size_t(llvm::upper_bound(sizes_, small_.minBytes) - sizes_.begin());
  }
  size_t mostPlace(size_t start) const {
    if (small_.protocol != large_.protocol)
      return start;
    const uint64_t limit = large_.maxBytes.value_or(sizes_.back() + 1);
    const auto end = llvm::lower_bound(sizes_, limit);
    return std::min(start + kMostPlaces, size_t(end - sizes_.begin()) - 1);
  }

  RangedProgram small_, large_;
  sched::ChunkSizes smallChunks_, largeChunks_;
  const std::vector<uint64_t> sizes_;
};

} // namespace

/// Gives channels the slots that they have if the small variant's range ends at
/// `most` bytes. They serve shorter messages as well.
void Comparison::giveSlots(uint64_t most, uint32_t chunkBytes) {
  auto give = [&](RangedProgram &variant, std::optional<uint64_t> maxBytes) {
    const ChannelSlots slots = chooseSlotsFor(
        variant.program, {variant.protocol, maxBytes}, chunkBytes);
    assignSlots(variant.program, slots);
    return slots.chunks;
  };
  smallChunks_ = give(small_, most);
  largeChunks_ = give(large_, large_.maxBytes);
}

llvm::Expected<bool> Comparison::isFaster(size_t place) {
  llvm::Expected<double> before =
      shortTime(small_.program, smallChunks_, sizes_[place], small_.protocol);
  if (!before)
    return before.takeError();
  llvm::Expected<double> after =
      shortTime(large_.program, largeChunks_, sizes_[place], large_.protocol);
  if (!after)
    return after.takeError();
  return *after <= *before;
}

std::optional<uint64_t> Comparison::fasterByModel(uint32_t chunkBytes) const {
  constexpr uint64_t kMost = uint64_t(4) << 30;
  constexpr double kRounding = 1e-9;
  // For such messages, slots of one machine would be larger, too.
  const sched::ChunkSizes smallChunks =
      leavesMachine(small_.program)
          ? smallChunks_
          : chooseSlots(small_.program, chunkBytes).chunks;
  const MessageTime small =
      timeOf(small_.program, small_.protocol, smallChunks);
  const MessageTime large =
      timeOf(large_.program, large_.protocol, largeChunks_);
  uint64_t bytes = sizes_.back();
  while (bytes < kMost && large.at(bytes) > small.at(bytes))
    bytes *= 2;
  const bool isUseless = bytes == kMost && !leavesMachine(large_.program) &&
                         rateOfLinks(small_.program) >=
                             rateOfLinks(large_.program) * (1 - kRounding);
  return isUseless ? std::nullopt : std::optional(bytes);
}

llvm::Expected<std::optional<uint64_t>>
Comparison::firstFaster(uint32_t chunkBytes) {
  const auto given = llvm::lower_bound(sizes_, large_.minBytes);
  if (given == sizes_.end() || *given != large_.minBytes)
    return large_.minBytes;
  const auto start = size_t(given - sizes_.begin());
  giveSlots(sizes_[mostPlace(start)], chunkBytes);
  auto isSoon = [&](const RangedProgram &variant, sched::ChunkSizes chunks) {
    return simulatedFolds(variant.program, chunks, *given, variant.protocol) <=
           kSoonSimulated;
  };
  if (!isSoon(small_, smallChunks_) || !isSoon(large_, largeChunks_))
    return *given;
  llvm::Expected<bool> faster = isFaster(start);
  if (!faster)
    return faster.takeError();
  // In steps that double, look for a place where it is otherwise.
  const bool below = *faster;
  const size_t end = below ? leastPlace() : mostPlace(start);
  size_t place = start, before = start;
  for (size_t step = 1; *faster == below; step *= 2) {
    if (place == end)
      return !below && !large_.maxBytes && end + 1 == sizes_.size()
                 ? fasterByModel(chunkBytes)
                 : std::optional(sizes_[end]);
    before = place;
    place = below ? place - std::min(step, place - end)
                  : place + std::min(step, end - place);
    faster = isFaster(place);
    if (!faster)
      return faster.takeError();
  }
  size_t low = std::min(place, before), high = std::max(place, before);
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    faster = isFaster(middle);
    if (!faster)
      return faster.takeError();
    (*faster ? high : low) = middle;
  }
  return sizes_[high];
}

llvm::Expected<std::optional<uint64_t>> blink::fasterFrom(RangedProgram small,
                                                          RangedProgram large,
                                                          uint32_t chunkBytes) {
  return Comparison(std::move(small), std::move(large)).firstFaster(chunkBytes);
}
