//===- RemoteRings.cpp - rings that a transport carries -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/RemoteRings.h"

#include "runtime/core/Memory.h"
#include "runtime/host/HostRings.h"

namespace blink::runtime {

Status RemoteRings::create(const Plan &plan, const std::vector<bool> &here) {
  plan_ = &plan;
  for (uint32_t r = 0; r < plan.rings.size(); ++r)
    if (plan.rings[r].apart)
      rings_[r]; // laid out below
  Arena counting;
  layout(here, counting);
  if (Status status = mapPages(counting.size(), -1, pages_); !status.ok())
    return status;
  Arena arena(pages_.get());
  layout(here, arena);
  return carriers.create(plan, here, *this);
}

void RemoteRings::layout(const std::vector<bool> &here, Arena &arena) {
  for (auto &[r, ends] : rings_) {
    const RingPlan &ring = plan_->rings[r];
    const auto take = [&](RingMemory &end) {
      end.freed = arena.take<uint64_t>(1);
      end.heads = arena.take<SlotHead>(ring.slots);
      end.slots = arena.take<char>(ring.bytes);
    };
    if (here[ring.source])
      take(ends.writer);
    if (here[ring.destination])
      take(ends.reader);
  }
}

void RemoteRings::bind(uint32_t ring, RingEnd &writer, RingEnd &reader) {
  const Ends &ends = rings_.at(ring);
  static_cast<RingMemory &>(writer) = ends.writer;
  static_cast<RingMemory &>(reader) = ends.reader;
  writer.transport = reader.transport = carriers.of(ring);
}

char *RemoteRings::placeFor(const ChunkMessage &message) {
  const auto found = rings_.find(message.ring);
  if (found == rings_.end())
    return nullptr;
  const RingPlan &ring = plan_->rings[message.ring];
  const RingMemory &end = found->second.reader;
  if (!end.heads || message.slot >= ring.slots)
    return nullptr;
  if (message.bytes <= SlotHead::kSmall)
    return end.heads[message.slot].small;
  if (message.offset > ring.bytes ||
      message.bytes > ring.bytes - message.offset)
    return nullptr;
  return end.slots + message.offset;
}

void RemoteRings::arrived(const ChunkMessage &message) {
  // Release: a lane that loads the tag with acquire sees the chunk's bytes.
  storeRelease(&rings_.at(message.ring).reader.heads[message.slot].full,
               message.tag);
}

void RemoteRings::freed(uint32_t ring, uint64_t number) {
  const auto found = rings_.find(ring);
  if (found == rings_.end() || !found->second.writer.freed)
    return;
  // Release: a lane that loads the number with acquire writes to the slot only
  // after the transport has read it.
  storeRelease(found->second.writer.freed, number);
}

void RemoteRings::broken(uint32_t ring, const std::string &why) {
  carriers.noteBroken(ring, why);
}

void RemoteRings::note(int rank, bool warning, const std::string &text) {
  carriers.note(rank, warning, text);
}

} // namespace blink::runtime
