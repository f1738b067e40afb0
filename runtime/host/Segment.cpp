//===- Segment.cpp - the memory that the ranks of a job share -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Segment.h"

#include "runtime/core/Memory.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace blink::runtime {

void Segment::layout(const Plan &plan, Arena &arena) {
  const auto numRanks = size_t(plan.numRanks);
  job_.layout(arena, plan.numRanks);
  ranks_ = arena.take<HostPeerInfo>(numRanks);
  windows_ = arena.take<WindowRecord>(numRanks);
  freed_ = arena.take<Freed>(plan.rings.size());
  heads_ = arena.take<SlotHead>(plan.numSlots);
  pool_ = arena.take<char>(plan.poolBytes);
}

static Status tooLarge(uint64_t bytes) {
  return {blinkSystemError,
          "the schedule's channels need " + std::to_string(bytes) +
              " bytes, more than there are: compile with smaller chunks"};
}

Status checkFits(uint64_t bytes) {
  const uint64_t installed =
      uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  return bytes <= installed ? Status() : tooLarge(bytes);
}

uint64_t Segment::sizeFor(const Plan &plan) {
  Arena counting;
  Segment().layout(plan, counting);
  return counting.size();
}

Segment::~Segment() {
  if (memory_)
    munmap(memory_, size_);
}

Status Segment::create(const Plan &plan) { return map(plan, -1); }

Status Segment::attach(const Plan &plan, int file) { return map(plan, file); }

Status Segment::map(const Plan &plan, int file) {
  const uint64_t size = sizeFor(plan);
  if (Status status = checkFits(size); !status.ok())
    return status;
  void *memory =
      mmap(nullptr, size, PROT_READ | PROT_WRITE,
           file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, file, 0);
  if (memory == MAP_FAILED)
    return tooLarge(size);
  plan_ = &plan;
  memory_ = static_cast<char *>(memory);
  size_ = size;
  Arena arena(memory_);
  layout(plan, arena);
  return {};
}

void Segment::beginCall(int rank, const CallKind &kind) {
  static_assert(sizeof(CallKind) <= sizeof(HostPeerInfo::kind));
  uint64_t words[3] = {};
  std::memcpy(words, &kind, sizeof(kind));
  HostPeerInfo &record = ranks_[rank];
  // Relaxed, and perhaps half new when read: it is for messages only.
  for (int i = 0; i < 3; ++i)
    storeRelaxed(&record.kind[i], words[i]);
  storeRelease(&record.calls, record.calls + 1);
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
