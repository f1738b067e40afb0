//===- Segment.cpp - the memory that the ranks of a job share -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Segment.h"

#include "runtime/core/Memory.h"

#include <cstring>

namespace blink::runtime {

void Segment::layout(const Plan &plan, bool processes, Arena &arena) {
  const auto numRanks = size_t(plan.numRanks);
  job_.layout(arena, plan.numRanks);
  ranks_ = arena.take<HostPeerInfo>(numRanks);
  if (processes) {
    board_.layout(arena, plan.numRanks);
    windows_ = arena.take<WindowRecord>(numRanks * kMaxWindows);
  }
  freed_ = arena.take<Freed>(plan.rings.size());
  heads_ = arena.take<SlotHead>(plan.numSlots);
  pool_ = arena.take<char>(plan.poolBytes);
}

uint64_t Segment::sizeFor(const Plan &plan, bool processes) {
  Arena counting;
  Segment().layout(plan, processes, counting);
  return counting.size();
}

Status Segment::create(const Plan &plan, int file) {
  const bool processes = file >= 0;
  Status status = mapPages(sizeFor(plan, processes), file, pages_);
  if (!status.ok())
    return status;
  plan_ = &plan;
  Arena arena(pages_.get());
  layout(plan, processes, arena);
  return {};
}

void Segment::beginCall(int rank, const CallKind &kind) {
  static_assert(sizeof(CallKind) <= sizeof(HostPeerInfo::kind));
  uint64_t words[3] = {};
  std::memcpy(words, &kind, sizeof(kind));
  HostPeerInfo &record = ranks_[rank];
  // Relaxed, and possibly half new when read: it is only for errors, and who
  // judges by it looks twice (HostBackend::failStuck).
  for (int i = 0; i < 3; ++i)
    storeRelaxed(&record.kind[i], words[i]);
  storeRelease(&record.calls, record.calls + 1);
}

MirroredWords Segment::mirroredWords(int rank) const {
  MirroredWords words = job_.mirroredWords(rank);
  HostPeerInfo &record = ranks_[rank];
  words.data.push_back(&record.reads);
  for (uint64_t &word : record.kind)
    words.calls.push_back(&word);
  words.calls.push_back(&record.calls);
  return words;
}

CallKind Segment::lastCall(int rank) const {
  uint64_t words[3];
  for (int i = 0; i < 3; ++i)
    words[i] = loadRelaxed(&ranks_[rank].kind[i]);
  CallKind kind;
  std::memcpy(&kind, words, sizeof(kind));
  return kind;
}

} // namespace blink::runtime
