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

/// The memory behind channels. Variants share the rings between two ranks and
/// NICs, and use them in the order of their channels, so a ring is as large as
/// the largest of its channels. Channels of a sendrecv have rings of their own.
struct RingPlan {
  uint16_t source = 0;
  uint16_t destination = 0;
  uint32_t slots = 0;
  uint64_t bytes = 0; ///< of all its slots, a multiple of 64
  /// Bytes of its slots of low-latency lines: twice those of their data.
  uint64_t lineBytes = 0;
  uint64_t offset = 0;    ///< offset of the slots in the pool
  uint32_t firstSlot = 0; ///< number of its first slot among all rings' slots
  sched::ChannelKind kind = sched::ChannelKind::peer;
  NicPair nics;
  /// The ring's number among those with the same ends and NICs, which is the
  /// same in all processes that have either end. Its number in a plan is not:
  /// the plan of a symmetric file has only the rings that its process needs.
  uint32_t between = 0;
  bool apart = false;     ///< see Plan::keepApart
  bool elsewhere = false; ///< see Plan::keepServer
};

/// The common part of the rings between two ranks, in one direction. Keys sort
/// like the rings.
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
  uint32_t first = 0;   ///< number of the first one among all rings
  uint32_t used = 0;    ///< used by the channels of `variant` so far
  uint32_t variant = 0; ///< the last variant that has used them
};

/// The rings of each pair of ranks that has any.
class RingTable {
public:
  /// Begins the next variant. Point to point has rings of its own, because
  /// messages and collectives may be under way at the same time, and overtake
  /// each other.
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
  /// In the order of (source, destination); those of messages come last.
  template <typename Function> void forEach(Function function) {
    std::map<PairKey, PairRings *> sorted;
    for (PairRings &pair : pairs_)
      sorted[pair.key] = &pair;
    for (auto &[key, pair] : sorted)
      function(*pair);
  }

private:
  uint32_t variant_ = 0;
  bool pairwise_ = false; // whether the variant is for messages, as in PairKey
  std::unordered_map<PairKey, uint32_t, PairKey::Hash> places_; // in pairs_
  std::vector<PairRings> pairs_;
};

/// Returns the bytes of the variant's chunks if none may exceed `limit`. A
/// low_latency variant keeps those of its file, because a chunk must hold its
/// largest message.
uint32_t chunkBytesOf(const sched::Variant &variant, uint32_t limit);

/// Makes rings for the channels of all programs, in their order. The slots that
/// any of the `known` ranks reads take at most `slotBytes` in all (0: no
/// limit). The chunks are the largest with which they do, but at least 16 KiB.
/// Rings that several variants share are as large as the largest needs, so a
/// variant with few large channels may get smaller chunks than it was compiled
/// for. Returns the limit for chunkBytesOf().
uint32_t claimAllRings(const std::vector<ResolvedProgram> &programs,
                       const std::vector<bool> &known, uint64_t slotBytes,
                       Servers &servers, RingTable &table);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_PLAN_RINGTABLE_H
