//===- Segment.cpp - the memory that the ranks of a job share -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Segment.h"

#include "runtime/core/Memory.h"

#include <cerrno>
#include <cstring>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

namespace blink::runtime {
namespace {

// States of a failure.
constexpr uint64_t kNone = 0, kBeingWritten = 1, kComplete = 2;

} // namespace

/// Offsets of the parts, all multiples of a cache line.
struct Segment::Layout {
  uint64_t ranks, shrinks, windows, freed, heads, pool, size;

  explicit Layout(const Plan &plan)
      : ranks(sizeof(Failure)),
        shrinks(ranks + uint64_t(plan.numRanks) * sizeof(RankRecord)),
        windows(shrinks + uint64_t(plan.numRanks) * sizeof(ShrinkRecord)),
        freed(windows +
              uint64_t(plan.numRanks) * kMaxWindows * sizeof(WindowRecord)),
        heads(freed + plan.rings.size() * sizeof(Freed)),
        pool(heads + uint64_t(plan.numSlots) * sizeof(SlotHead)),
        size(pool + plan.poolBytes) {}
};

uint64_t Segment::sizeFor(const Plan &plan) { return Layout(plan).size; }

Segment::~Segment() {
  if (memory_)
    munmap(memory_, size_);
}

Status Segment::create(const Plan &plan) { return map(plan, -1); }

Status Segment::attach(const Plan &plan, int file) { return map(plan, file); }

Status Segment::map(const Plan &plan, int file) {
  const Layout layout(plan);
  // Asking for more than there is might succeed and kill the process later.
  const uint64_t installed =
      uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  void *memory = MAP_FAILED;
  if (layout.size <= installed)
    memory = mmap(nullptr, layout.size, PROT_READ | PROT_WRITE,
                  file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, file, 0);
  if (memory == MAP_FAILED)
    return {blinkSystemError,
            "the schedule's channels need " + std::to_string(layout.size) +
                " bytes, more than there are: compile with smaller chunks"};
  plan_ = &plan;
  memory_ = static_cast<char *>(memory);
  size_ = layout.size;
  failure_ = reinterpret_cast<Failure *>(memory_);
  ranks_ = reinterpret_cast<RankRecord *>(memory_ + layout.ranks);
  shrinks_ = reinterpret_cast<ShrinkRecord *>(memory_ + layout.shrinks);
  windows_ = reinterpret_cast<WindowRecord *>(memory_ + layout.windows);
  freed_ = reinterpret_cast<Freed *>(memory_ + layout.freed);
  heads_ = reinterpret_cast<SlotHead *>(memory_ + layout.heads);
  pool_ = memory_ + layout.pool;
  return {};
}

void Segment::beginCall(int rank, const CallKind &kind) {
  static_assert(sizeof(CallKind) <= sizeof(RankRecord::kind));
  uint64_t words[3] = {};
  std::memcpy(words, &kind, sizeof(kind));
  RankRecord &record = ranks_[rank];
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

bool Segment::failed() const {
  // Sequentially consistent: who fails the job stores it and then looks which
  // lanes are at work; a lane says it is at work and then loads it. Neither may
  // miss the other.
  return __atomic_load_n(&failure_->state, __ATOMIC_SEQ_CST) != kNone;
}

void Segment::fail(const Status &status) {
  uint64_t expected = kNone;
  if (!__atomic_compare_exchange_n(&failure_->state, &expected, kBeingWritten,
                                   false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    return;
  failure_->code = uint64_t(status.code);
  std::strncpy(failure_->text, status.text.c_str(), sizeof(failure_->text) - 1);
  // Release: who sees it complete sees code and text.
  __atomic_store_n(&failure_->state, kComplete, __ATOMIC_SEQ_CST);
}

Status Segment::failure() const {
  if (!failed())
    return {};
  // The writer copies a sentence; if it is killed meanwhile, do without.
  for (int i = 0; i < 100000; ++i) {
    if (loadAcquire(&failure_->state) == kComplete)
      return {blinkResult_t(failure_->code), failure_->text};
    sched_yield();
  }
  return {blinkRemoteError, "another rank failed"};
}

} // namespace blink::runtime
