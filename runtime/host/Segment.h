//===- Segment.h - the memory that the ranks of a job share -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The job's memory (job/JobMemory.h), rings, and what each rank is at, in one
// piece. It is private to a process, or shared between the processes of one
// machine. Every process lays it out in the same way, following the plan.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_SEGMENT_H
#define BLINK_RUNTIME_HOST_SEGMENT_H

#include "runtime/host/Pages.h"
#include "runtime/host/SlotHead.h"
#include "runtime/host/Windows.h"
#include "runtime/job/JobMemory.h"
#include "runtime/plan/Call.h"

namespace blink::runtime {

/// A rank's record for the others, in addition to its PeerRecord.
struct alignas(64) HostPeerInfo {
  uint64_t calls;     ///< number of collectives that it has begun
  uint64_t kind[3];   ///< of the last one; for error messages
  uint64_t probe;     ///< address of the rank's MemoryProbe
  uint64_t reads;     ///< 1: it can read all others' memory, 2: it cannot
  uint64_t crowded;   ///< 1: its server has more ranks than it has processors
  uint64_t processor; ///< where it last waited, plus 1
};

class Segment {
public:
  /// Bytes of the memory for `plan`; `processes`: including what only ranks in
  /// several processes need.
  static uint64_t sizeFor(const Plan &plan, bool processes);
  /// Maps the memory, and lays it out. `file`, if not negative, has the size
  /// that sizeFor() returns, and is zero at first. Errors: as mapPages.
  Status create(const Plan &plan, int file = -1);

  RingMemory ring(uint32_t ring) const {
    const RingPlan &plan = plan_->rings[ring];
    return {heads_ + plan.firstSlot, pool_ + plan.offset, &freed_[ring].value};
  }
  /// The address of a chunk in the pool; `address` has kInPool.
  char *inPool(uint64_t address) {
    return pool_ + (address & ~SlotHead::kInPool);
  }
  uint64_t addressInPool(const char *slot) const {
    return SlotHead::kInPool | uint64_t(slot - pool_);
  }
  HostPeerInfo &rank(int rank) { return ranks_[rank]; }
  const HostPeerInfo &rank(int rank) const { return ranks_[rank]; }
  /// For ranks in several processes: what they register, kMaxWindows each.
  const BoardMemory &board() const { return board_; }
  WindowRecord *windows() const { return windows_; }

  /// Tells the others that `rank` begins its next collective.
  void beginCall(int rank, const CallKind &kind);
  CallKind lastCall(int rank) const;

  const JobMemory &job() const { return job_; }
  void setBell(int bell) { job_.setBell(bell); }
  /// The words of a rank that are copied to ranks that do not share this
  /// memory.
  MirroredWords mirroredWords(int rank) const;
  bool failed() const { return job_.failed(); }
  bool fail(const Status &why) { return job_.fail(why); }
  Status failure() const { return job_.failure(); }

private:
  struct alignas(64) Freed {
    uint64_t value;
  };

  void layout(const Plan &plan, bool processes, Arena &arena);

  const Plan *plan_ = nullptr;
  std::shared_ptr<char> pages_;
  JobMemory job_;
  HostPeerInfo *ranks_ = nullptr;
  BoardMemory board_;
  WindowRecord *windows_ = nullptr;
  Freed *freed_ = nullptr;
  SlotHead *heads_ = nullptr;
  char *pool_ = nullptr;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_SEGMENT_H
