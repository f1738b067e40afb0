//===- RingTable.cpp - the memory behind channels -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/RingTable.h"

#include <algorithm>

namespace blink::runtime {
namespace {

/// Grows the rings between each two ranks until the variant's channels fit.
void claimRings(const sched::Variant &variant, const ResolvedProgram &resolved,
                uint32_t chunkBytes, Servers &servers, RingTable &table) {
  table.startVariant(resolved.program->collective());
  for (const sched::Channel *channel : *variant.channels()) {
    const uint16_t source = resolved.jobRank(channel->source());
    const uint16_t destination = resolved.jobRank(channel->destination());
    const NicPair nics = servers.nicsOf(resolved, variant, *channel);
    PairRings &pair = table.of(source, destination, nics);
    const uint32_t index = pair.used++;
    std::vector<RingPlan> &list = pair.rings;
    if (index == list.size())
      list.push_back(
          {source, destination, 0, 0, 0, 0, 0, channel->kind(), nics});
    RingPlan &ring = list[index];
    ring.slots = std::max<uint32_t>(ring.slots, channel->slots());
    constexpr uint64_t kLine = 64;
    // At most 2^10 slots of 2^26 bytes: no overflow.
    uint64_t bytes = uint64_t(channel->slots()) * chunkBytes;
    bytes = (bytes + kLine - 1) / kLine * kLine;
    ring.bytes = std::max(ring.bytes, bytes);
    if (variant.protocol() == sched::Protocol::low_latency)
      ring.lineBytes = std::max(ring.lineBytes, 2 * bytes);
    // A ring for channels of several kinds must suit the least capable of them.
    ring.kind = std::max(ring.kind, channel->kind());
  }
}

RingTable tableWith(const std::vector<ResolvedProgram> &programs,
                    uint32_t limit, Servers &servers) {
  RingTable table;
  for (const ResolvedProgram &chosen : programs)
    for (const sched::Variant *variant : *chosen.program->variants())
      claimRings(*variant, chosen, chunkBytesOf(*variant, limit), servers,
                 table);
  return table;
}

/// Returns the slot bytes of the `known` rank that has the most.
uint64_t slotBytesOf(RingTable &table, const std::vector<bool> &known) {
  std::vector<uint64_t> bytes(known.size(), 0);
  table.forEach([&](const PairRings &pair) {
    for (const RingPlan &ring : pair.rings)
      if (known[ring.destination])
        bytes[ring.destination] += ring.bytes + ring.lineBytes;
  });
  return *std::max_element(bytes.begin(), bytes.end());
}

} // namespace

uint32_t chunkBytesOf(const sched::Variant &variant, uint32_t limit) {
  return variant.protocol() == sched::Protocol::low_latency
             ? variant.chunk_bytes()
             : std::min(variant.chunk_bytes(), limit);
}

uint32_t claimAllRings(const std::vector<ResolvedProgram> &programs,
                       const std::vector<bool> &known, uint64_t slotBytes,
                       Servers &servers, RingTable &table) {
  constexpr uint32_t kGranule = 4 << 10, kLeast = 16 << 10;
  constexpr uint32_t kAny = 1u << 31; // above every chunk of a file
  table = tableWith(programs, kAny, servers);
  if (slotBytes == 0 || slotBytesOf(table, known) <= slotBytes)
    return kAny;
  uint32_t largest = 0;
  for (const ResolvedProgram &chosen : programs)
    for (const sched::Variant *variant : *chosen.program->variants())
      largest = std::max(largest, variant->chunk_bytes());
  // Find the largest limit that fits; kLeast is taken even if it does not fit.
  uint32_t fits = kLeast / kGranule, above = largest / kGranule + 1;
  while (fits + 1 < above) {
    const uint32_t middle = (fits + above) / 2;
    RingTable tried = tableWith(programs, middle * kGranule, servers);
    (slotBytesOf(tried, known) <= slotBytes ? fits : above) = middle;
  }
  const uint32_t limit = fits * kGranule;
  table = tableWith(programs, limit, servers);
  return limit;
}

} // namespace blink::runtime
