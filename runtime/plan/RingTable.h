//===- RingTable.h - the memory behind channels ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_PLAN_RINGTABLE_H
#define BLINK_RUNTIME_PLAN_RINGTABLE_H

#include "runtime/plan/ProgramLookup.h"

#include <map>
#include <unordered_map>
#include <vector>

namespace blink::runtime {

/// The memory behind channels. Variants use the same rings, in the order of
/// their channels between the same two ranks, so a ring is as large as the
/// largest of its channels; those of a sendrecv have rings of their own.
struct RingPlan {
  uint16_t source = 0;
  uint16_t destination = 0;
  uint32_t slots = 0;
  uint64_t bytes = 0;     ///< of all slots, a multiple of 64
  uint64_t lineBytes = 0; ///< of slots of low-latency lines: twice their data
  uint64_t offset = 0;    ///< of the slots in the pool
  uint32_t firstSlot = 0; ///< number of its first slot among all rings' slots
  sched::ChannelKind kind = sched::ChannelKind::peer;
  bool apart = false; ///< Plan::keepApart
};

/// The rings between two ranks, in one direction.
struct PairRings {
  uint64_t key = 0;
  std::vector<RingPlan> rings;
  uint32_t first = 0;   ///< its number among all rings
  uint32_t used = 0;    ///< by the channels of the variant so far
  uint32_t variant = 0; ///< that it has been used by
};

/// Of each two ranks that have any.
class RingTable {
public:
  /// Point to point has rings of its own: messages and collectives may be under
  /// way at the same time, and pass each other.
  void startVariant(sched::Collective collective) {
    ++variant_;
    kind_ = uint64_t(sched::isPairwise(collective)) << 32;
  }
  PairRings &of(uint16_t source, uint16_t destination) {
    const uint64_t key = kind_ | uint32_t(source) << 16 | destination;
    auto [place, isNew] = places_.try_emplace(key, uint32_t(pairs_.size()));
    if (isNew)
      pairs_.push_back({key, {}, 0, 0, 0});
    PairRings &pair = pairs_[place->second];
    if (pair.variant != variant_) {
      pair.variant = variant_;
      pair.used = 0;
    }
    return pair;
  }
  /// In the order of (source, destination), those of messages last.
  template <typename Function> void forEach(Function function) {
    std::map<uint64_t, PairRings *> sorted;
    for (PairRings &pair : pairs_)
      sorted[pair.key] = &pair;
    for (auto &[key, pair] : sorted)
      function(*pair);
  }

private:
  uint32_t variant_ = 0;
  uint64_t kind_ = 0; // of the keys of the variant's rings
  std::unordered_map<uint64_t, uint32_t> places_; // by key, in pairs_
  std::vector<PairRings> pairs_;
};

/// Bytes of the variant's chunks where none may have more than `limit`. A
/// low_latency one keeps those of the file: they hold its largest message.
uint32_t chunkBytesOf(const sched::Variant &variant, uint32_t limit);

/// Makes rings for the channels of all programs, in their order, so that the
/// slots of those that one rank reads have no more than `slotBytes` in all (0:
/// any number), with the largest chunks that do, of 16 KiB or more: what the
/// rings of several variants have in common is as large as the largest of them,
/// so those with few large channels can afford less than what they were
/// compiled for. Returns the limit for chunkBytesOf().
uint32_t claimAllRings(const std::vector<ResolvedProgram> &programs,
                       int numRanks, uint64_t slotBytes, RingTable &table);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_PLAN_RINGTABLE_H
