//===- RingTable.h - the memory behind channels ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_PLAN_RINGTABLE_H
#define BLINK_RUNTIME_PLAN_RINGTABLE_H

#include "runtime/plan/Servers.h"

#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace blink::runtime {

/// The memory behind channels. Variants use the same rings, in the order of
/// their channels between the same two ranks and NICs, so a ring is as large as
/// the largest of its channels; those of a sendrecv have rings of their own.
struct RingPlan {
  uint16_t source = 0;
  uint16_t destination = 0;
  uint32_t slots = 0;
  uint64_t bytes = 0;     ///< of all slots, a multiple of 64
  uint64_t lineBytes = 0; ///< of slots of low-latency lines: twice their data
  uint64_t offset = 0;    ///< of the slots in the pool
  uint32_t firstSlot = 0; ///< number of its first slot among all rings' slots
  sched::ChannelKind kind = sched::ChannelKind::peer;
  NicPair nics;
  /// Among those with these ends and NICs. Other than its number in a plan,
  /// which of a symmetric file knows what its process needs, that of each of
  /// the job's processes that has either end.
  uint32_t between = 0;
  bool apart = false;     ///< Plan::keepApart
  bool elsewhere = false; ///< Plan::keepServer
};

/// What the rings between two ranks, in one direction, have in common. In the
/// order of the rings.
struct PairKey {
  bool pairwise;
  uint16_t source, destination;
  NicPair nics;

  auto words() const {
    return std::make_tuple(pairwise, source, destination, nics.source,
                           nics.destination);
  }
  bool operator<(const PairKey &other) const { return words() < other.words(); }
  bool operator==(const PairKey &other) const {
    return words() == other.words();
  }
  struct Hash {
    size_t operator()(const PairKey &key) const {
      const uint64_t ranks = uint64_t(key.pairwise) << 32 |
                             uint32_t(key.source) << 16 | key.destination;
      const uint64_t nics =
          uint32_t(key.nics.source) << 16 | key.nics.destination;
      return size_t(ranks * 0x9e3779b97f4a7c15u ^ nics * 0xc2b2ae3d27d4eb4fu);
    }
  };
};
struct PairRings {
  PairKey key;
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
    pairwise_ = sched::isPairwise(collective);
  }
  PairRings &of(uint16_t source, uint16_t destination, NicPair nics) {
    const PairKey key{pairwise_, source, destination, nics};
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
    std::map<PairKey, PairRings *> sorted;
    for (PairRings &pair : pairs_)
      sorted[pair.key] = &pair;
    for (auto &[key, pair] : sorted)
      function(*pair);
  }

private:
  uint32_t variant_ = 0;
  bool pairwise_ = false; // of the keys of the variant's rings
  std::unordered_map<PairKey, uint32_t, PairKey::Hash> places_; // in pairs_
  std::vector<PairRings> pairs_;
};

/// Bytes of the variant's chunks where none may have more than `limit`. A
/// low_latency one keeps those of the file: they hold its largest message.
uint32_t chunkBytesOf(const sched::Variant &variant, uint32_t limit);

/// Makes rings for the channels of all programs, in their order, so that the
/// slots of those that one of the `known` ranks reads have no more than
/// `slotBytes` in all (0: any number), with the largest chunks that do, of 16
/// KiB or more: what the rings of several variants have in common is as large
/// as the largest of them, so those with few large channels can afford less
/// than what they were compiled for. Returns the limit for chunkBytesOf().
uint32_t claimAllRings(const std::vector<ResolvedProgram> &programs,
                       const std::vector<bool> &known, uint64_t slotBytes,
                       Servers &servers, RingTable &table);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_PLAN_RINGTABLE_H
